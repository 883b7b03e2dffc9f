import { type Kysely, sql, type Transaction } from 'kysely'
import { withBudget } from '../database/budget.mjs'
import { isDatabaseError } from '../database/errors.mjs'
import { onBehalfOf } from '../database/queue'
import { type Announced, type Arrived, objectMetadata } from '../files/files'
import type { Backend } from './context'
import { type Claims, isSessionAlive } from './sessions'

/** The bucket of the console. There is no other. */
export const BUCKET = 'files'

/** Bytes of a preview: as public.finish_file() has it. */
const MAX_PREVIEW = 512 * 1024

const REQUEST_BUDGET = 8_000

/** A path of the bucket: the ids of a company and of a file, `.webp` for its preview. Nothing else is looked up. */
const OBJECT =
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(\.webp)?$/

export const isObjectPath = (path: string): boolean => OBJECT.test(path)

/** An object as its row in `storage.objects` has it. */
export interface StoredObject {
  id: string
  name: string
  size: number
  type: string
  /** The name to save it under. */
  fileName: string
  createdAt: string
}

export class SessionEnded extends Error {}

type Db = Kysely<unknown> | Transaction<unknown>

/** Runs statements in one transaction as the user: row-level security decides, as in Supabase Storage. */
async function asUser<R>(backend: Backend, claims: Claims, work: (db: Db) => Promise<R>): Promise<R> {
  return onBehalfOf(claims.userId, () =>
    backend.core.database.exclusive(async () => {
      if (!(await isSessionAlive(backend, claims))) throw new SessionEnded()
      return withBudget(REQUEST_BUDGET, () =>
        backend.core.database.connection.kysely.transaction().execute(async (db: Db) => {
          const request = {
            sub: claims.userId,
            role: 'authenticated',
            aud: 'authenticated',
            session_id: claims.sessionId,
            exp: claims.expiresAt,
          }
          await sql`select set_config('request.jwt.claim.sub', ${claims.userId}, true),
            set_config('request.jwt.claim.role', 'authenticated', true),
            set_config('request.jwt.claims', ${JSON.stringify(request)}, true),
            set_config('statement_timeout', ${String(REQUEST_BUDGET)}, true),
            set_config('role', 'authenticated', true)`.execute(db)
          return work(db)
        }),
      )
    }),
  )
}

class Undone extends Error {}

/** Whether the policies let the caller write an object; nothing is written. */
export async function mayUpload(backend: Backend, claims: Claims, path: string): Promise<boolean> {
  if (!isObjectPath(path)) return false
  try {
    await asUser(backend, claims, async (db) => {
      await insertObject(db, claims, path, {})
      throw new Undone()
    })
  } catch (error) {
    if (error instanceof Undone) return true
    // A unique violation tells that the object is there, to whoever may write it alone: the policy is asked first.
    if (isDatabaseError(error) && error.code === '23505') return true
    if (isDatabaseError(error) && error.code === '42501') return false
    throw error
  }
  return false
}

const insertObject = (db: Db, claims: Claims, path: string, metadata: Record<string, unknown>) =>
  sql`insert into storage.objects (bucket_id, name, owner, owner_id, metadata, version)
    values (${BUCKET}, ${path}, ${claims.userId}::uuid, ${claims.userId}, ${JSON.stringify(metadata)}::text::jsonb, gen_random_uuid()::text)`.execute(
    db,
  )

/** Writes the row of an object that has arrived. @returns false when the caller may not any more */
export async function noteObject(
  backend: Backend,
  claims: Claims,
  path: string,
  arrived: Arrived,
): Promise<boolean> {
  try {
    await asUser(backend, claims, (db) => insertObject(db, claims, path, objectMetadata(path, arrived)))
    return true
  } catch (error) {
    if (isDatabaseError(error) && ['42501', '23505'].includes(error.code)) return error.code === '23505'
    throw error
  }
}

/** The upload that a path belongs to; the policies have let the caller write it. */
export async function announcedUpload(backend: Backend, path: string): Promise<Announced | null> {
  const [, id, preview] = OBJECT.exec(path) ?? []
  if (id === undefined) return null
  const [row] = await backend.core.database.query<{ name: string; size: string; is_package: boolean | null }>(
    `select f.name, f.size::text as size, k.is_package from public.files f
     left join app.file_fields k on k.resource = f.resource and k.field = coalesce(f.field, '')
     where f.id = $1 and f.uploaded_at is null`,
    [id],
  )
  if (!row) return null
  const isPackage = row.is_package === true
  return preview
    ? { path, name: null, size: MAX_PREVIEW, isPackage }
    : { path, name: row.name, size: Number(row.size), isPackage }
}

/** Whether the bytes of the path have arrived. */
export async function hasObject(backend: Backend, path: string): Promise<boolean> {
  const rows = await backend.core.database.query(
    'select 1 from storage.objects where bucket_id = $1 and name = $2',
    [BUCKET, path],
  )
  return rows.length > 0
}

interface ObjectRow {
  id: string
  name: string
  metadata: { size?: number; mimetype?: string } | null
  created_at: string | Date
  file_name: string
}

const stored = (row: ObjectRow): StoredObject => ({
  id: row.id,
  name: row.name,
  size: Number(row.metadata?.size ?? 0),
  type: row.metadata?.mimetype ?? 'application/octet-stream',
  fileName: row.name.endsWith('.webp') ? `${row.file_name}.webp` : row.file_name,
  createdAt: new Date(row.created_at).toISOString(),
})

const COLUMNS = sql`o.id, o.name, o.metadata, o.created_at, f.name as file_name`
const FROM = sql`storage.objects o join public.files f on o.name in (f.path, f.path || '.webp')
  and f.id::text = split_part(split_part(o.name, '/', 2), '.', 1)`

/** The objects of these paths that the caller may read. */
export async function readableObjects(
  backend: Backend,
  claims: Claims,
  paths: readonly string[],
): Promise<StoredObject[]> {
  const wanted = paths.filter(isObjectPath)
  if (wanted.length === 0) return []
  const { rows } = await asUser(backend, claims, (db) =>
    sql<ObjectRow>`select ${COLUMNS} from storage.objects o
      join public.files f on f.id = any (${wanted.map((path) => path.slice(37, 73))}::uuid[])
        and o.name in (f.path, f.path || '.webp')
      where o.bucket_id = ${BUCKET} and o.name = any (${wanted}::text[])`.execute(db),
  )
  return rows.map(stored)
}

/** Objects below a folder, as far as the caller may read them. */
export async function listObjects(
  backend: Backend,
  claims: Claims,
  { prefix, limit, offset }: { prefix: string; limit: number; offset: number },
): Promise<StoredObject[]> {
  const company = prefix.replace(/\/+$/, '')
  // The first level holds the companies, which nobody lists.
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(company)) return []
  const { rows } = await asUser(backend, claims, (db) =>
    sql<ObjectRow>`select ${COLUMNS} from ${FROM}
      where f.company_id = ${company}::uuid and o.bucket_id = ${BUCKET}
      order by o.name limit ${limit} offset ${offset}`.execute(db),
  )
  return rows.map(stored)
}

/** An object that a signed link names, whoever opens it; null once its file was deleted. */
export async function linkedObject(backend: Backend, path: string): Promise<StoredObject | null> {
  if (!isObjectPath(path)) return null
  const [row] = await backend.core.database.query<ObjectRow>(
    `select o.id, o.name, o.metadata, o.created_at, f.name as file_name from storage.objects o
     join public.files f on f.id = $2::uuid and o.name in (f.path, f.path || '.webp')
     where o.bucket_id = 'files' and o.name = $1 and not app.file_in_trash(f.resource, f.record_id)`,
    [path, path.slice(37, 73)],
  )
  return row ? stored(row) : null
}
