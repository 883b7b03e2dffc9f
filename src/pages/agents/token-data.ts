import { supabase } from '@/data/client'
import { toDataError } from '@/data/errors'
import { callRpc } from '@/data/rpc'
import type { Page } from '@/pages/jobs/job-data'
import type { TokenLimits } from './token-state'

export type EnrollmentToken = TokenLimits & {
  id: string
  company_id: string
  name: string
  hint: string
  created_by: string | null
  created_at: string
  group: { id: string; name: string } | null
  company: { name: string } | null
}

const TOKEN =
  'id,company_id,name,hint,expires_at,max_uses,used_count,revoked_at,created_by,created_at,' +
  'group:groups(id,name),' +
  'company:companies!enrollment_tokens_company_id_fkey(name)'

export async function readTokens(
  companyId: string | null,
  page: number,
  pageSize: number,
): Promise<Page<EnrollmentToken>> {
  const from = (page - 1) * pageSize
  const all = supabase.from('enrollment_tokens').select(TOKEN, { count: 'exact' })
  const scoped = companyId === null ? all : all.eq('company_id', companyId)
  const { data, error, status, count } = await scoped
    .order('created_at', { ascending: false })
    .order('id')
    .range(from, from + pageSize - 1)
    .overrideTypes<EnrollmentToken[], { merge: false }>()
  if (error) throw toDataError(error, status)
  return { rows: data, total: count ?? data.length }
}

/** Names of those who made the tokens; whoever is not visible or gone stays without one. */
export async function readNames(ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const { data, error, status } = await supabase.from('profiles').select('id,name,email').in('id', ids)
  if (error) throw toDataError(error, status)
  return new Map(
    (data as { id: string; name: string | null; email: string }[]).map(({ id, name, email }) => [
      id,
      name || email,
    ]),
  )
}

export type NewToken = {
  companyId: string
  name: string
  groupId: string | null
  expiresAt: string | null
  maxUses: number | null
}

/** The only time the token itself is seen; the database keeps its hash. */
export const createToken = (token: NewToken): Promise<{ id: string; token: string }> =>
  callRpc('create_enrollment_token', {
    company_id: token.companyId,
    name: token.name,
    group_id: token.groupId,
    expires_at: token.expiresAt,
    max_uses: token.maxUses,
  })

export const revokeToken = (id: string): Promise<unknown> => callRpc('revoke_enrollment_token', { id })

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
