import { supabase } from '@/data/client'
import { toDataError } from '@/data/errors'
import { callRpc } from '@/data/rpc'

type NewToken = {
  companyId: string
  name: string
  groupId: string | null
  expiresAt: string | null
  maxUses: number | null
  requiresApproval: boolean
}

/** The only time the token itself is seen; the database keeps its hash. */
export const createToken = (token: NewToken): Promise<{ id: string; token: string }> =>
  callRpc('create_enrollment_token', {
    company_id: token.companyId,
    name: token.name,
    group_id: token.groupId,
    expires_at: token.expiresAt,
    max_uses: token.maxUses,
    requires_approval: token.requiresApproval,
  })

export async function readGroups(companyId: string): Promise<{ id: string; name: string }[]> {
  const { data, error, status } = await supabase
    .from('groups')
    .select('id,name')
    .eq('company_id', companyId)
    .order('name_key')
    .limit(500)
  if (error) throw toDataError(error, status)
  return data as { id: string; name: string }[]
}

export type AgentVersion = { agent_version: string | null; devices: number }

export const readAgentVersions = (companyId: string | null): Promise<AgentVersion[]> =>
  callRpc<AgentVersion[]>('agent_versions', { company: companyId })

export async function hasAgents(companyId: string | null): Promise<boolean> {
  const enrolled = supabase.from('devices').select('id').not('enrolled_at', 'is', null)
  const scoped = companyId === null ? enrolled : enrolled.eq('company_id', companyId)
  const { data, error, status } = await scoped.limit(1)
  if (error) throw toDataError(error, status)
  return data.length > 0
}

/** How many devices wait for approval; all of them, or those that present one token. */
export async function countPending(companyId: string | null, tokenId?: string): Promise<number> {
  let pending = supabase
    .from('enrollment_requests')
    .select('id', { count: 'exact', head: true })
    .eq('status', 'pending')
  if (companyId !== null) pending = pending.eq('company_id', companyId)
  if (tokenId !== undefined) pending = pending.eq('token_id', tokenId)
  const { count, error, status } = await pending
  if (error) throw toDataError(error, status)
  return count ?? 0
}

export type Joined = { devices: { id: string; name: string }[]; total: number }

const MAX_LINKS = 5

/** The devices that joined with a token: how many, and the latest few. */
export async function readJoined(tokenId: string): Promise<Joined> {
  const { data, count, error, status } = await supabase
    .from('devices')
    .select('id,name', { count: 'exact' })
    .eq('enrollment_token_id', tokenId)
    .order('enrolled_at', { ascending: false })
    .limit(MAX_LINKS)
  if (error) throw toDataError(error, status)
  return { devices: data as Joined['devices'], total: count ?? data.length }
}

type Named = { name: string } | null

export type EnrollmentRequest = {
  id: string
  company_id: string
  status: string
  device_id: string | null
  hostname: string
  platform: string
  agent_version: string | null
  ip_address: string | null
  created_at: string
  token: Named
  group: Named
  company: Named
  device: {
    name: string
    hostname: string | null
    platform: string | null
    agent_version: string | null
    ip_address: string | null
    token: Named
  } | null
  /** When the known device last checked in; null without one. */
  lastSeen: string | null
}

const REQUEST =
  'id,company_id,status,device_id,hostname,platform,agent_version,ip_address,created_at,' +
  'token:enrollment_tokens(name),group:groups(name),company:companies(name),' +
  'device:devices(name,hostname,platform,agent_version,ip_address,token:enrollment_tokens(name))'

/** Null when it is gone. */
export async function readRequest(id: string): Promise<EnrollmentRequest | null> {
  const { data, error, status } = await supabase
    .from('enrollment_requests')
    .select(REQUEST)
    .eq('id', id)
    .maybeSingle()
    .overrideTypes<Omit<EnrollmentRequest, 'lastSeen'>, { merge: false }>()
  if (error) throw toDataError(error, status)
  return data && { ...data, lastSeen: data.device_id ? await readLastSeen(data.device_id) : null }
}

async function readLastSeen(deviceId: string): Promise<string | null> {
  const { data, error, status } = await supabase
    .from('device_presence')
    .select('last_seen_at')
    .eq('device_id', deviceId)
    .maybeSingle<{ last_seen_at: string | null }>()
  if (error) throw toDataError(error, status)
  return data?.last_seen_at ?? null
}

export const approveRequest = ({ id, device_id }: EnrollmentRequest): Promise<string> =>
  callRpc('approve_enrollment', { id, device_id })

export const rejectRequest = ({ id }: EnrollmentRequest): Promise<number> =>
  callRpc('reject_enrollments', { ids: [id] })
