import { supabase } from '@/data/client'
import { toDataError } from '@/data/errors'
import { MOST_TARGETS, type Target } from '@/pages/procedures/targets'

const TARGET = 'id,name,company_id,status,platform,os'
const CHOICES = 30
/** Ids travel in the address of the request, which proxies cut at a few thousand characters. */
const IDS_A_REQUEST = 100

/** Devices to choose from: by name, or those that the database's own search finds. */
export async function searchTargets(text: string, companyId: string | null): Promise<Target[]> {
  const found = text.trim()
    ? supabase.rpc('search_devices', { q: text.trim() }, { get: true }).select(TARGET)
    : supabase.from('devices').select(TARGET)
  const scoped = companyId === null ? found : found.eq('company_id', companyId)
  const { data, error, status } = await scoped.order('name_key').limit(CHOICES)
  if (error) throw toDataError(error, status)
  return data as unknown as Target[]
}

export async function readTargets(ids: readonly string[]): Promise<Target[]> {
  const parts = Array.from({ length: Math.ceil(ids.length / IDS_A_REQUEST) }, (_, index) =>
    ids.slice(index * IDS_A_REQUEST, (index + 1) * IDS_A_REQUEST),
  )
  const pages = await Promise.all(
    parts.map(async (part) => {
      const { data, error, status } = await supabase.from('devices').select(TARGET).in('id', part)
      if (error) throw toDataError(error, status)
      return data as unknown as Target[]
    }),
  )
  return pages.flat().sort((a, b) => a.name.localeCompare(b.name))
}

/** The members of groups, each once. Null when they are more than a job can take: half a group would be a wrong target. */
export async function readMembers(groupIds: readonly string[]): Promise<Target[] | null> {
  const { data, error, status, count } = await supabase
    .from('group_devices')
    .select(`device:devices(${TARGET})`, { count: 'exact' })
    .in('group_id', groupIds)
    .limit(MOST_TARGETS)
  if (error) throw toDataError(error, status)
  if ((count ?? 0) > MOST_TARGETS) return null
  const members = new Map<string, Target>()
  for (const { device } of data as unknown as { device: Target | null }[]) {
    if (device) members.set(device.id, device)
  }
  return [...members.values()].sort((a, b) => a.name.localeCompare(b.name))
}
