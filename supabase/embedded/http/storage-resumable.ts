import { Buffer } from 'node:buffer'
import type { Context } from 'hono'
import type { Announced } from '../files/files'
import type { Backend, Env } from './context'
import type { Claims } from './sessions'
import { announcedUpload, BUCKET, hasObject, mayUpload, noteObject } from './storage-access'
import { denied, refusal } from './storage-answers'

/** Takes the finished part of an upload into the storage and the table of objects. */
export async function finishUpload(
  backend: Backend,
  claims: Claims,
  upload: Announced,
): Promise<Response | null> {
  const done = await backend.files.complete(upload)
  if (await noteObject(backend, claims, upload.path, done)) return null
  // The row went while its bytes arrived: they are on the list of removals.
  return denied()
}

/** The bytes of a body as they arrive. It can be read on after a loop over it ended. */
class BodyChunks implements AsyncIterable<Uint8Array> {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  readonly #stopped: Promise<never>

  constructor(body: ReadableStream<Uint8Array> | null, stopped: AbortSignal) {
    this.#reader = body?.getReader()
    this.#stopped = new Promise((_, fail) => {
      stopped.addEventListener('abort', () => fail(new Error('Another request goes on with the upload.')))
    })
    this.#stopped.catch(() => undefined)
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return {
      next: async () => {
        const read = this.#reader ? await Promise.race([this.#reader.read(), this.#stopped]) : null
        return read && !read.done ? { value: read.value, done: false } : { value: undefined, done: true }
      },
    }
  }
}

export const bodyChunks = (c: Context<Env>, stopped: AbortSignal): AsyncIterable<Uint8Array> =>
  new BodyChunks(c.req.raw.body as ReadableStream<Uint8Array> | null, stopped)

const TUS = {
  'tus-resumable': '1.0.0',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Location, Upload-Offset, Upload-Length, Tus-Resumable',
  'cache-control': 'no-store',
}

const empty = (status: number, headers: Record<string, string> = {}) =>
  new Response(null, { status, headers: { ...TUS, ...headers } })

const encode = (path: string) => Buffer.from(`${BUCKET}/${path}`).toString('base64url')

function decode(id: string): string | null {
  const text = Buffer.from(id, 'base64url').toString('utf8')
  return text.startsWith(`${BUCKET}/`) ? text.slice(BUCKET.length + 1) : null
}

/** `Upload-Metadata` is a list of names with their values in base64. */
function metadataOf(header: string | undefined): Map<string, string> {
  return new Map(
    (header ?? '')
      .split(',')
      .slice(0, 20)
      .map((pair) => {
        const [name = '', value = ''] = pair.trim().split(' ')
        return [name, Buffer.from(value, 'base64').toString('utf8')]
      }),
  )
}

/**
 * The protocol tus 1.0 as Supabase Storage speaks it: creation, offset, bytes from there, and giving up. The part on the
 * disk is all its state, so that an upload goes on after a restart.
 */
export async function resumableUpload(
  c: Context<Env>,
  backend: Backend,
  claims: Claims,
  id: string | undefined,
): Promise<Response> {
  const { method } = c.req
  if (c.req.header('tus-resumable') !== '1.0.0') return refusal(412, 'Tus-Resumable must be 1.0.0', TUS)
  const metadata = id === undefined ? metadataOf(c.req.header('upload-metadata')) : null
  if (metadata && (method !== 'POST' || metadata.get('bucketName') !== BUCKET)) return denied()
  const path = metadata ? (metadata.get('objectName') ?? '') : id === undefined ? null : decode(id)
  if (!path || !(await mayUpload(backend, claims, path))) return denied()
  const upload = await announcedUpload(backend, path)
  if (!upload) return denied()
  const { files } = backend

  if (method === 'POST') {
    const length = Number(c.req.header('upload-length') ?? Number.NaN)
    if (
      !Number.isSafeInteger(length) ||
      (upload.name === null ? length > upload.size : length !== upload.size)
    )
      return refusal(413, 'The file is not as large as was announced.', { ...TUS, hint: 'file_size' })
    await files.alone(path, () => files.discard(path))
    return empty(201, { location: `/storage/v1/upload/resumable/${encode(path)}` })
  }
  if (method === 'HEAD') {
    const offset = (await hasObject(backend, path)) ? upload.size : await files.received(path)
    return empty(200, { 'upload-offset': String(offset), 'upload-length': String(upload.size) })
  }
  if (method === 'DELETE') {
    await files.alone(path, () => files.discard(path))
    return empty(204)
  }
  if (method !== 'PATCH') return refusal(405, 'Unsupported HTTP method', TUS)
  if (c.req.header('content-type') !== 'application/offset+octet-stream')
    return refusal(415, 'The content type must be application/offset+octet-stream', TUS)
  return files.alone(path, async (stopped) => {
    const offset = Number(c.req.header('upload-offset') ?? Number.NaN)
    const before = await files.received(path)
    if (await hasObject(backend, path)) return empty(204, { 'upload-offset': String(upload.size) })
    if (offset !== before)
      return refusal(409, `The upload has ${before} bytes.`, { ...TUS, hint: 'file_offset' })
    const { received } =
      before < upload.size ? await files.append(upload, before, bodyChunks(c, stopped)) : { received: before }
    if (received === upload.size) {
      const refused = await finishUpload(backend, claims, upload)
      if (refused) return refused
    }
    return empty(204, { 'upload-offset': String(received) })
  })
}
