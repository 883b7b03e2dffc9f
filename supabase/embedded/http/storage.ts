import { createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Context, Hono } from 'hono'
import { jwtVerify, SignJWT } from 'jose'
import { RASTER, servedType } from '../files/content-type'
import { StorageFull, StorageUnavailable } from '../files/file-store'
import { FileRefused } from '../files/files'
import { BodyBudget, readBody } from './body'
import { type Backend, type Env, jsonResponse, leaseUntilAnswered } from './context'
import { canonicalPath } from './path'
import { TokenBucket } from './rate-limit'
import { bearer, type Claims, readToken } from './sessions'
import {
  announcedUpload,
  BUCKET,
  hasObject,
  isObjectPath,
  linkedObject,
  listObjects,
  mayUpload,
  readableObjects,
  SessionEnded,
  type StoredObject,
} from './storage-access'
import { denied, refusal } from './storage-answers'
import { bodyChunks, finishUpload, resumableUpload } from './storage-resumable'

const MEGABYTE = 1024 * 1024
/** A form with a file in it is read whole. Larger files come as plain bodies, or resumable. */
const FORM_LIMIT = 32 * MEGABYTE
const JSON_LIMIT = 64 * 1024
/** Seconds that a signed link lives, at most. */
const MAX_LINK_SECONDS = 3_600
const MAX_PATHS = 1_000

const ROOT = '/storage/v1'
const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

const notFound = () => refusal(404, 'Object not found', { error: 'not_found' })
const answered = (value: unknown, headers: Record<string, string> = {}) =>
  jsonResponse(value, 200, { 'access-control-allow-origin': '*', 'cache-control': 'no-store', ...headers })

/** Control characters and quotes would end the header or the name within it. */
function disposition(kind: 'inline' | 'attachment', name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  const plain = name.replaceAll(/[\u0000-\u001f\u007f"\\/]/g, '_')
  const ascii = plain.replaceAll(/[^\u0020-\u007e]/g, '_').replaceAll('%', '_')
  const encoded = encodeURIComponent(plain.replaceAll(/[\ud800-\udfff]/gu, '_')).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** Null for the whole object, `unsatisfiable` for a range that it does not have. Several ranges are answered as none. */
function rangeOf(header: string | undefined, size: number) {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
  if (from === '' && to === '') return null
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(size - 1, Number(to))
  return start > end || start >= size ? 'unsatisfiable' : { start, end }
}

/** An object's bytes, which no browser runs whatever they are. */
async function served(c: Context<Env>, backend: Backend, object: StoredObject): Promise<Response> {
  const asked = c.req.query('download')
  const isInline = RASTER.has(object.type) && asked === undefined
  const etag = `"${object.id}"`
  const headers: Record<string, string> = {
    'access-control-allow-origin': '*',
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=300',
    'content-disposition': disposition(
      isInline ? 'inline' : 'attachment',
      asked?.slice(0, 200) || object.fileName,
    ),
    'content-security-policy': `sandbox; default-src 'none'`,
    'content-type': servedType(object.type),
    'cross-origin-resource-policy': 'cross-origin',
    etag,
    'last-modified': new Date(object.createdAt).toUTCString(),
    'x-content-type-options': 'nosniff',
  }
  if (c.req.header('if-none-match') === etag) return new Response(null, { status: 304, headers })
  const range = rangeOf(c.req.header('range'), object.size)
  if (range === 'unsatisfiable')
    return refusal(416, 'The file does not have this range', { 'content-range': `bytes */${object.size}` })
  const length = range ? range.end - range.start + 1 : object.size
  headers['content-length'] = String(length)
  if (range) headers['content-range'] = `bytes ${range.start}-${range.end}/${object.size}`
  const status = range ? 206 : 200
  if (c.req.method === 'HEAD') return new Response(null, { status, headers })
  const bytes = await backend.files.read(object.name, range ?? undefined)
  if (!bytes) return refusal(404, 'The bytes of the file are not in the storage', { hint: 'file_bytes' })
  return new Response(Readable.toWeb(bytes) as ReadableStream<Uint8Array>, { status, headers })
}

/**
 * `/storage/v1` as `supabase-js` calls it, for the one bucket of the console. Policies on `storage.objects` decide, in
 * the role of the caller; the bytes are taken only for an upload that a row of `public.files` announces.
 */
export function storageRoutes(backend: Backend): Hono<Env> {
  const byAccount = new TokenBucket(1_000, 40, backend.rateLimitFactor)
  const byAddress = new TokenBucket(5_000, 200, backend.rateLimitFactor)
  const forms = new BodyBudget(128 * MEGABYTE, 64 * MEGABYTE)
  const jsons = new BodyBudget(8 * MEGABYTE, MEGABYTE)
  // A key of its own: an access token is no link, and a link no access token.
  const linkKey = () => createHmac('sha256', backend.keys.jwtSecret).update('storage links').digest()

  async function callerOf(c: Context<Env>): Promise<Claims | Response> {
    const key = c.req.header('apikey') ?? c.req.query('apikey')
    if (key !== backend.keys.publishableKey) return refusal(401, 'Invalid API key', { error: 'Unauthorized' })
    const claims = await readToken(bearer(c.req.raw.headers) ?? '', backend.keys.jwtSecret)
    if (!claims) return refusal(401, 'The access token is invalid or has expired', { error: 'Unauthorized' })
    const wait = byAccount.take(claims.userId)
    return wait > 0 ? refusal(429, 'Too many requests', { 'retry-after': String(wait) }) : claims
  }

  async function jsonOf(c: Context<Env>, claims: Claims): Promise<Record<string, unknown>> {
    const bytes = await readBody(c.req.raw, JSON_LIMIT, leaseUntilAnswered(c, jsons, claims.userId))
    try {
      const value: unknown = JSON.parse(new TextDecoder().decode(bytes ?? undefined))
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? (value as Record<string, unknown>)
        : {}
    } catch {
      return {}
    }
  }

  const textsOf = (value: unknown): string[] =>
    Array.isArray(value) ? value.slice(0, MAX_PATHS).filter((each) => typeof each === 'string') : []

  const sign = async (path: string, seconds: unknown) => {
    const asked = typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : 60
    const token = await new SignJWT({ url: `${BUCKET}/${path}` })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setExpirationTime(
        Math.floor(Date.now() / 1000) + Math.min(MAX_LINK_SECONDS, Math.max(1, Math.floor(asked))),
      )
      .sign(linkKey())
    return `/object/sign/${BUCKET}/${path}?token=${token}`
  }

  /** The file of a form as `supabase-js` sends it from a browser. */
  async function formChunks(c: Context<Env>, claims: Claims): Promise<AsyncIterable<Uint8Array>> {
    const bytes = await readBody(c.req.raw, FORM_LIMIT, leaseUntilAnswered(c, forms, claims.userId))
    const form = await new Response(bytes, {
      headers: { 'content-type': c.req.header('content-type') ?? '' },
    })
      .formData()
      .catch(() => null)
    const file = [...(form?.values() ?? [])].find((value) => typeof value !== 'string')
    if (!file) throw new FileRefused(400, 'file_unfinished', 'The form holds no file.')
    return Readable.from([new Uint8Array(await file.arrayBuffer())])
  }

  async function upload(c: Context<Env>, claims: Claims, path: string): Promise<Response> {
    if (!(await mayUpload(backend, claims, path))) return denied()
    const announced = await announcedUpload(backend, path)
    if (!announced) return denied()
    return backend.files.alone(path, async (stopped) => {
      if (await hasObject(backend, path))
        return refusal(409, 'The resource already exists', { error: 'Duplicate' })
      const isForm = c.req.header('content-type')?.startsWith('multipart/form-data') === true
      const { received, isWhole } = await backend.files.append(
        announced,
        0,
        isForm ? await formChunks(c, claims) : bodyChunks(c, stopped),
      )
      if (!isWhole || received === 0) {
        await backend.files.discard(path)
        return refusal(400, 'The body did not arrive whole', { hint: 'file_unfinished' })
      }
      const refused = await finishUpload(backend, claims, announced)
      return refused ?? answered({ Key: `${BUCKET}/${path}`, Id: path.slice(37, 73) })
    })
  }

  async function download(c: Context<Env>, claims: Claims, path: string): Promise<Response> {
    const [object] = await readableObjects(backend, claims, [path])
    return object ? served(c, backend, object) : notFound()
  }

  async function linked(c: Context<Env>, path: string): Promise<Response> {
    const wait = byAddress.take(c.var.address)
    if (wait > 0) return refusal(429, 'Too many requests', { 'retry-after': String(wait) })
    const isValid = await jwtVerify(c.req.query('token') ?? '', linkKey(), { algorithms: ['HS256'] }).then(
      ({ payload }) => payload.url === `${BUCKET}/${path}` && typeof payload.exp === 'number',
      () => false,
    )
    if (!isValid) return refusal(400, 'The link is invalid or has expired', { error: 'InvalidJWT' })
    const object = await linkedObject(backend, path)
    return object ? served(c, backend, object) : notFound()
  }

  const asListed = (object: StoredObject) => ({
    id: object.id,
    name: object.name.slice(37),
    created_at: object.createdAt,
    updated_at: object.createdAt,
    last_accessed_at: object.createdAt,
    metadata: { size: object.size, mimetype: object.type },
  })

  async function signed(c: Context<Env>, claims: Claims, path: string): Promise<Response> {
    const { expiresIn, paths } = await jsonOf(c, claims)
    if (path !== '') {
      const [object] = await readableObjects(backend, claims, [path])
      return object ? answered({ signedURL: await sign(path, expiresIn) }) : notFound()
    }
    const wanted = textsOf(paths)
    const readable = new Set((await readableObjects(backend, claims, wanted)).map(({ name }) => name))
    return answered(
      await Promise.all(
        wanted.map(async (each) => ({
          path: each,
          error: readable.has(each)
            ? null
            : 'Either the object does not exist or you do not have access to it',
          signedURL: readable.has(each) ? await sign(each, expiresIn) : null,
        })),
      ),
    )
  }

  /** The operations on objects, by what follows `/object/`. */
  async function answerObject(c: Context<Env>, rest: string): Promise<Response> {
    const [, operation = '', path = ''] =
      /^(?:(sign|authenticated|info\/authenticated|info|list|list-v2|public|upload\/sign|move|copy)\/)?files(?:\/(.*))?$/.exec(
        rest,
      ) ?? []
    const isKnown = /^(?:(?:[a-z/-]+\/)?files)(?:\/|$)/.test(rest)
    if (!isKnown) return notFound()
    const { method } = c.req
    const isRead = method === 'GET' || method === 'HEAD'
    if (operation === 'sign' && isRead) return linked(c, path)
    const claims = await callerOf(c)
    if (claims instanceof Response) return claims
    if (operation === 'sign' && method === 'POST') return signed(c, claims, path)
    if ((operation === '' || operation === 'authenticated') && isRead) return download(c, claims, path)
    if (operation.startsWith('info') && isRead) {
      const [object] = await readableObjects(backend, claims, [path])
      if (!object) return notFound()
      const { id, size, type, createdAt } = object
      return answered({ id, name: path, size, content_type: type, created_at: createdAt, bucket_id: BUCKET })
    }
    if (operation === 'list' && method === 'POST') {
      const { prefix, limit, offset } = await jsonOf(c, claims)
      const objects = await listObjects(backend, claims, {
        prefix: typeof prefix === 'string' ? prefix : '',
        limit: Math.min(100, Math.max(1, Number(limit) || 100)),
        offset: Math.max(0, Math.floor(Number(offset)) || 0),
      })
      return answered(objects.map(asListed))
    }
    if (operation === '' && (method === 'POST' || method === 'PUT')) return upload(c, claims, path)
    // Bytes go with the row of their file: no policy lets anybody remove an object by itself.
    if (operation === '' && method === 'DELETE') return path === '' ? answered([]) : denied()
    return isObjectPath(path) ? denied() : notFound()
  }

  async function answer(c: Context<Env>, rest: string): Promise<Response> {
    if (rest.startsWith('/object/')) return answerObject(c, rest.slice('/object/'.length))
    const resumable = /^\/upload\/resumable(?:\/([A-Za-z0-9_-]+))?$/.exec(rest)
    if (resumable) {
      const claims = await callerOf(c)
      return claims instanceof Response ? claims : resumableUpload(c, backend, claims, resumable[1])
    }
    const claims = await callerOf(c)
    if (claims instanceof Response) return claims
    if (rest === '/bucket' && c.req.method === 'GET') return answered([])
    return notFound()
  }

  const app = new Hono<Env>()
  app.all(`${ROOT}/*`, async (c) => {
    const path = canonicalPath(new URL(c.req.url).pathname)
    if (!path?.startsWith(`${ROOT}/`)) return notFound()
    if (c.req.method === 'OPTIONS')
      return c.body(null, 204, {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers':
          c.req.header('access-control-request-headers') ?? 'apikey, authorization, content-type',
        'access-control-expose-headers': 'Location, Upload-Offset, Upload-Length, Tus-Resumable, Retry-After',
        'access-control-max-age': '86400',
        'tus-resumable': '1.0.0',
        'tus-version': '1.0.0',
        'tus-extension': 'creation,termination',
      })
    try {
      return await answer(c, path.slice(ROOT.length))
    } catch (error) {
      if (error instanceof FileRefused) return refusal(error.status, error.message, { hint: error.hint })
      if (error instanceof SessionEnded)
        return refusal(401, 'The session has ended', { error: 'Unauthorized' })
      if (error instanceof StorageFull)
        return refusal(507, 'The storage has no room for this file.', { hint: 'file_full' })
      if (error instanceof StorageUnavailable) {
        backend.log(`The storage of files: ${error.message}`)
        return refusal(503, 'The storage of files does not answer.', {
          hint: 'file_storage',
          'retry-after': '5',
        })
      }
      throw error
    }
  })
  return app
}
