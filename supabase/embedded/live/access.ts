import { type RawBuilder, sql } from 'kysely'
import type { Database, Query } from '../database/database'
import type { Claims } from '../http/sessions'

/** The access of a session to live topics, as the database has it now. */
export interface Access {
  userId: string
  role: string | null
  companyId: string | null
}

/** Excludes sessions that have ended, and those of banned accounts. */
export async function readAccess(query: Query, sessions: readonly Claims[]): Promise<Map<string, Access>> {
  const rows = await query<{ id: string; user_id: string; role: string | null; company_id: string | null }>(
    `select s.id, s.user_id, r.role, r.company_id
     from auth.sessions s
     join auth.users u on u.id = s.user_id
     left join public.user_roles r on r.user_id = s.user_id
     where s.id = any ($1::uuid[]) and u.deleted_at is null
       and (s.not_after is null or s.not_after > now())
       and (u.banned_until is null or u.banned_until < now())`,
    [[...new Set(sessions.map((claims) => claims.sessionId))]],
  )
  return new Map(
    rows.map((row) => [
      `${row.user_id}/${row.id}`,
      { userId: row.user_id, role: row.role, companyId: row.company_id },
    ]),
  )
}

export const accessKey = ({ userId, sessionId }: Claims): string => `${userId}/${sessionId}`

/** The topics of live messages: one's own, one's company's, and every company's for who belongs to none. */
export function mayListen(access: Access | undefined, topic: string): boolean {
  if (!access) return false
  const [kind, id] = topic.split(':')
  if (kind === 'user' && id) return id === access.userId
  const seesAll = access.role !== null && access.companyId === null
  if (topic === 'platform') return seesAll
  if (kind === 'company' && id) return seesAll || (access.companyId !== null && id === access.companyId)
  return false
}

/** Asks the database as the member. */
function answerAs<Answer>(
  database: Database,
  { userId, sessionId }: Claims,
  question: RawBuilder<{ answer: Answer }>,
): Promise<Answer | undefined> {
  const jwt = { sub: userId, session_id: sessionId, role: 'authenticated' }
  return database.exclusive(() =>
    database.connection.withContext({ auth: { uid: userId, role: 'authenticated', jwt } }, async (db) => {
      const { rows } = await question.execute(db)
      return rows[0]?.answer
    }),
  )
}

/** The rows of a table of whose changes a member may hear: all, those of a row rule, or none. */
export type Reach = 'all' | 'some' | 'none'

/** How much of the table the member's role may list: the same permission truth that answers when they read its rows. */
export async function readReach(database: Database, claims: Claims, table: string): Promise<Reach> {
  const answer = await answerAs<Reach>(
    database,
    claims,
    sql`select case when app.sees_rows(app.record_table(${table}), 'list') then 'all'
      when app.can(app.record_table(${table}), 'list') then 'some' else 'none' end as answer`,
  )
  return answer ?? 'none'
}

/** The topic of one record, or of one kind of comment on it: who sees the record is for its table to say. */
export const isRecordTopic = (topic: string): boolean => topic.startsWith('record:')

export async function seesRecord(database: Database, claims: Claims, topic: string): Promise<boolean> {
  return (await answerAs<boolean>(database, claims, sql`select app.can_listen(${topic}) as answer`)) === true
}
