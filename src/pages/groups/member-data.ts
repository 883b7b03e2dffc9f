import { supabase } from '@/data/client'
import { GoneError, toDataError } from '@/data/errors'
import { callRpc } from '@/data/rpc'

type Page<Row> = { rows: Row[]; total: number }

export type Member = {
  device_id: string
  added_at: string
  device: { id: string; name: string; status: string; os: string | null; os_version: string | null } | null
}

export type GroupRef = { companyId: string; groupId: string }

export async function readMemberPage(
  { companyId, groupId }: GroupRef,
  page: number,
  pageSize: number,
): Promise<Page<Member>> {
  const from = (page - 1) * pageSize
  const { data, error, status, count } = await supabase
    .from('group_devices')
    .select('device_id,added_at,device:devices(id,name,status,os,os_version)', { count: 'exact' })
    .eq('company_id', companyId)
    .eq('group_id', groupId)
    .order('added_at', { ascending: false })
    .order('device_id')
    .range(from, from + pageSize - 1)
    .overrideTypes<Member[], { merge: false }>()
  if (error) throw toDataError(error, status)
  return { rows: data, total: count ?? data.length }
}

export type Candidate = {
  id: string
  name: string
  status: string
  os: string | null
  os_version: string | null
}

/** The devices that match and are not in the group. */
export async function readCandidates(
  { groupId }: GroupRef,
  text: string,
  page: number,
  pageSize: number,
): Promise<Page<Candidate>> {
  const from = (page - 1) * pageSize
  const { data, error, status, count } = await supabase
    .rpc('search_group_candidates', { group_id: groupId, q: text }, { get: true, count: 'exact' })
    .select('id,name,status,os,os_version')
    .order('name_key')
    .order('id')
    .range(from, from + pageSize - 1)
  if (error) throw toDataError(error, status)
  const rows = data as unknown as Candidate[]
  return { rows, total: count ?? rows.length }
}

/** Adds devices; those that are members already stay as they are. Returns how many were asked for. */
export async function addMembers(
  { companyId, groupId }: GroupRef,
  deviceIds: readonly string[],
): Promise<number> {
  const { error, status } = await supabase.from('group_devices').upsert(
    deviceIds.map((deviceId) => ({ company_id: companyId, group_id: groupId, device_id: deviceId })),
    { onConflict: 'company_id,group_id,device_id', ignoreDuplicates: true },
  )
  if (error) throw toDataError(error, status)
  return deviceIds.length
}

/** Adds all devices that match, in batches of the database's own size, until none is left or it is stopped. */
export async function addMatching(
  { groupId }: GroupRef,
  text: string,
  report: (done: number) => void,
  isStopped: () => boolean,
): Promise<number> {
  let done = 0
  while (!isStopped()) {
    const batch = await callRpc<number>('add_group_candidates', { group_id: groupId, q: text })
    if (batch === 0) break
    done += batch
    report(done)
  }
  return done
}

export async function removeMember({ companyId, groupId }: GroupRef, deviceId: string): Promise<void> {
  const { data, error, status } = await supabase
    .from('group_devices')
    .delete()
    .eq('company_id', companyId)
    .eq('group_id', groupId)
    .eq('device_id', deviceId)
    .select('device_id')
  if (error) throw toDataError(error, status)
  // Nothing removed is not a success: somebody else was quicker.
  if (data.length === 0) throw new GoneError('No row was changed')
}
