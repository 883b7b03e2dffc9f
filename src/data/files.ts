import { config, supabase } from '@/data/client'
import { CheckError, toDataError } from '@/data/errors'
import { answer, type RowQuery } from '@/data/request'

/** A file as the console shows it. */
export interface FileRow {
  id: string
  name: string
  type: string
  /** Bytes. */
  size: number
  path: string
  has_preview: boolean
  created_by: string | null
  created_by_name: string | null
  created_at: string
}

export const FILE_COLUMNS = 'id,name,type,size,path,has_preview,created_by,created_by_name,created_at'

/** The record and field that an upload is for; without a record it is a draft of whoever uploads it. */
export interface FileTarget {
  /** The table of the record. */
  resource: string
  companyId: string
  recordId: string | null
  /** Null for an attachment. */
  field: string | null
}

interface SendOptions {
  signal: AbortSignal
  onProgress: (sentBytes: number) => void
}

const BUCKET = 'files'
/** Hosted Supabase takes pieces of this size, and a smaller last one. */
const PIECE_BYTES = 6 * 1024 * 1024
/** From here on an upload that breaks off goes on where it was. */
const RESUMABLE_FROM = 1024 * 1024
const MAX_ATTEMPTS = 6
const MAX_PREVIEW_BYTES = 512 * 1024
const PREVIEW_PIXELS = 640
const TUS = { 'tus-resumable': '1.0.0' }

const storageUrl = (path: string) => `${config.url}/storage/v1${path}`

async function authHeaders(): Promise<Record<string, string>> {
  const { data } = await supabase.auth.getSession()
  return { apikey: config.key, authorization: `Bearer ${data.session?.access_token ?? ''}` }
}

interface Sent {
  status: number
  header: (name: string) => string | null
  body: string
}

/** `fetch` tells nothing about the progress of a body. */
async function send(
  method: string,
  url: string,
  headers: Record<string, string>,
  body: Blob | null,
  { signal, onProgress }: SendOptions,
): Promise<Sent> {
  const allHeaders = { ...(await authHeaders()), ...headers }
  signal.throwIfAborted()
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest()
    request.open(method, url)
    for (const [name, value] of Object.entries(allHeaders)) request.setRequestHeader(name, value)
    const abort = () => request.abort()
    signal.addEventListener('abort', abort, { once: true })
    const end = () => signal.removeEventListener('abort', abort)
    request.upload.onprogress = ({ loaded }) => onProgress(loaded)
    request.onload = () => {
      end()
      done({
        status: request.status,
        header: (name) => request.getResponseHeader(name),
        body: request.responseText,
      })
    }
    request.onerror = () => {
      end()
      fail(toDataError({ message: 'Failed to fetch' }))
    }
    request.onabort = () => {
      end()
      fail(signal.reason)
    }
    request.send(body)
  })
}

/** A refusal of Storage as the error of the database that has the same words. */
function refusalOf({ status, body }: Sent): Error {
  let read: { message?: unknown; hint?: unknown } = {}
  try {
    read = JSON.parse(body) as typeof read
  } catch {
    // A proxy answered, in words of its own.
  }
  const hasWords = typeof read.hint === 'string' && /^(?:file|upload)_/.test(read.hint)
  return toDataError(hasWords ? { ...read, code: '23514' } : read, status)
}

/** Worth another attempt: the storage or a proxy was busy, or another request of this upload had not ended. */
const isPassing = (status: number) => [409, 423, 429, 502, 503, 504].includes(status) || status === 0

const pause = (attempt: number, signal: AbortSignal) =>
  new Promise<void>((done, fail) => {
    const timer = setTimeout(done, Math.min(8_000, 500 * 2 ** attempt))
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        fail(signal.reason)
      },
      { once: true },
    )
  })

async function sendPlain(path: string, file: Blob, options: SendOptions): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    let sent: Sent | null = null
    try {
      sent = await send(
        'POST',
        storageUrl(`/object/${BUCKET}/${path}`),
        { 'content-type': file.type || 'application/octet-stream' },
        file,
        options,
      )
    } catch (error) {
      options.signal.throwIfAborted()
      if (attempt >= MAX_ATTEMPTS) throw error
    }
    if (sent && sent.status < 300) return
    // The answer to an earlier attempt was lost, and the storage has the file.
    if (sent && (sent.status === 409 || sent.body.includes('"Duplicate"'))) return
    if (sent && (!isPassing(sent.status) || attempt >= MAX_ATTEMPTS)) throw refusalOf(sent)
    await pause(attempt, options.signal)
  }
}

const inBase64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

async function openResumable(path: string, file: Blob, options: SendOptions): Promise<string> {
  const metadata = {
    bucketName: BUCKET,
    objectName: path,
    contentType: file.type || 'application/octet-stream',
  }
  const opened = await send(
    'POST',
    storageUrl('/upload/resumable'),
    {
      ...TUS,
      'upload-length': String(file.size),
      'upload-metadata': Object.entries(metadata)
        .map(([name, value]) => `${name} ${inBase64(value)}`)
        .join(','),
    },
    null,
    { ...options, onProgress: () => undefined },
  )
  const location = opened.header('location')
  if (opened.status >= 300 || !location) throw refusalOf(opened)
  return new URL(location, storageUrl('/upload/resumable')).href
}

/** Where the uploads of this page are, so that one that broke off goes on. */
const places = new Map<string, string>()

/** The protocol tus: asks how many bytes have arrived, and sends the next piece from there. */
async function sendResumable(path: string, file: Blob, options: SendOptions): Promise<void> {
  let offset: number | null = null
  let attempt = 0
  const url = places.get(path) ?? (await openResumable(path, file, options))
  if (!places.has(path)) offset = 0
  places.set(path, url)
  for (;;) {
    try {
      if (offset === null) {
        const state = await send('HEAD', url, TUS, null, { ...options, onProgress: () => undefined })
        if (state.status >= 300) throw refusalOf(state)
        offset = Number(state.header('upload-offset'))
      }
      if (offset >= file.size) break
      const start: number = offset
      options.onProgress(start)
      const sent = await send(
        'PATCH',
        url,
        { ...TUS, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(start) },
        file.slice(start, start + PIECE_BYTES),
        { ...options, onProgress: (loaded) => options.onProgress(start + loaded) },
      )
      if (sent.status >= 300) {
        if (!isPassing(sent.status)) throw refusalOf(sent)
        if (attempt >= MAX_ATTEMPTS) throw refusalOf(sent)
        offset = null
      } else {
        offset = Number(sent.header('upload-offset'))
        attempt = 0
        continue
      }
    } catch (error) {
      options.signal.throwIfAborted()
      // An answer that names a status was decided above; a lost connection is tried again.
      const status = (error as { statusCode?: number }).statusCode ?? 0
      if (status !== 0 || attempt >= MAX_ATTEMPTS) throw error
      offset = null
    }
    await pause(attempt++, options.signal)
  }
  places.delete(path)
}

/**
 * A smaller WebP of a picture, without what a camera notes in it; null for a file that the browser cannot draw, or that
 * it cannot write as WebP.
 */
export async function makePreview(file: Blob): Promise<Blob | null> {
  if (!file.type.startsWith('image/') || file.type === 'image/svg+xml') return null
  try {
    const picture = await createImageBitmap(file)
    const scale = Math.min(1, PREVIEW_PIXELS / Math.max(picture.width, picture.height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(picture.width * scale))
    canvas.height = Math.max(1, Math.round(picture.height * scale))
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
    picture.close()
    const preview = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/webp', 0.8))
    return preview && preview.type === 'image/webp' && preview.size <= MAX_PREVIEW_BYTES ? preview : null
  } catch {
    return null
  }
}

const rows = () => supabase.from('files')
// The generated types know no row of a filter that a caller builds.
const asked = async <R>(query: unknown): Promise<R> => (await answer(query as RowQuery)).data as R

/** The row of an upload of this file that broke off, of this page or of one before. */
async function brokenOff({ resource, companyId, recordId, field }: FileTarget, file: File) {
  const query = rows()
    .select(FILE_COLUMNS)
    .eq('company_id', companyId)
    .eq('resource', resource)
    .eq('name', file.name)
    .eq('size', file.size)
    .is('uploaded_at', null)
    .gt('created_at', new Date(Date.now() - 20 * 3_600_000).toISOString())
  const inRecord = recordId === null ? query.is('record_id', null) : query.eq('record_id', recordId)
  const inField = field === null ? inRecord.is('field', null) : inRecord.eq('field', field)
  const [found] = await asked<FileRow[]>(inField.limit(1))
  return found
}

const isResumable = (file: Blob) => file.size > RESUMABLE_FROM

async function announce(target: FileTarget, file: File): Promise<FileRow> {
  if (isResumable(file)) {
    const earlier = await brokenOff(target, file)
    if (earlier) return earlier
  }
  return asked<FileRow>(
    rows()
      .insert({
        company_id: target.companyId,
        resource: target.resource,
        record_id: target.recordId,
        field: target.field,
        name: file.name || 'file',
        size: file.size,
      } as never)
      .select(FILE_COLUMNS)
      .single(),
  )
}

/** The smallest limit that a field can have: a smaller file needs no check. */
const SMALLEST_LIMIT_BYTES = 1024 * 1024

/** Refuses a file that is too large before any of it is sent, as the database would. */
async function checkSize({ resource, field, companyId }: FileTarget, file: File): Promise<void> {
  if (file.size <= SMALLEST_LIMIT_BYTES) return
  // The database decides where the limit is not known.
  const limits = await asked<{ max_bytes: number } | null>(
    supabase.rpc('file_limits', {
      resource,
      company_id: companyId,
      ...(field === null ? {} : { field }),
    }),
  ).catch(() => null)
  if (limits === null || file.size <= limits.max_bytes) return
  const maxMb = String(limits.max_bytes / SMALLEST_LIMIT_BYTES)
  throw new CheckError('The file is too large.', '23514', undefined, undefined, undefined, 'file_size', {
    max_mb: maxMb,
  })
}

/** Deletes a file, or the draft of one. @throws DataError when no row was deleted */
export async function deleteFile(id: string): Promise<void> {
  const gone = await asked<unknown[]>(rows().delete().eq('id', id).select('id'))
  if (gone.length === 0) throw toDataError({ code: 'PT404', message: 'The file is gone.' })
}

/**
 * Announces a file, sends it with a preview, and ends the upload. Of an upload that was refused or canceled nothing is
 * left; one that lost its connection goes on when the same file is given again.
 * @throws DataError, or the reason of the signal
 */
export async function uploadFile(target: FileTarget, file: File, options: SendOptions): Promise<FileRow> {
  await checkSize(target, file)
  options.signal.throwIfAborted()
  const row = await announce(target, file)
  try {
    const preview = makePreview(file)
    await (isResumable(file) ? sendResumable : sendPlain)(row.path, file, options)
    const small = await preview
    // A file without its preview is whole.
    if (small)
      await sendPlain(`${row.path}.webp`, small, { ...options, onProgress: () => undefined }).catch(() => {
        options.signal.throwIfAborted()
      })
    return await asked<FileRow>(supabase.rpc('finish_file', { file_id: row.id }))
  } catch (error) {
    const status = (error as { statusCode?: number }).statusCode ?? 0
    const isCutOff = !options.signal.aborted && (status === 0 || status >= 500) && isResumable(file)
    if (!isCutOff) {
      places.delete(row.path)
      void deleteFile(row.id).catch(() => undefined)
    }
    throw error
  }
}

/** Links to objects that live for minutes; a path that the caller may not read has none. */
export async function signedLinks(paths: readonly string[], seconds: number): Promise<Map<string, string>> {
  if (paths.length === 0) return new Map()
  const response = await fetch(storageUrl(`/object/sign/${BUCKET}`), {
    method: 'POST',
    headers: { ...(await authHeaders()), 'content-type': 'application/json' },
    body: JSON.stringify({ expiresIn: seconds, paths }),
  }).catch((error: unknown) => {
    throw toDataError(error)
  })
  if (!response.ok) throw toDataError(await response.json().catch(() => ({})), response.status)
  const links = (await response.json()) as { path: string; signedURL: string | null }[]
  return new Map(
    links.flatMap(({ path, signedURL }) => (signedURL ? [[path, storageUrl(signedURL)] as const] : [])),
  )
}

/** Saves a file under its name. */
export async function downloadFile({ path, name }: Pick<FileRow, 'path' | 'name'>): Promise<void> {
  const link = (await signedLinks([path], 60)).get(path)
  if (!link) throw toDataError({ code: 'PT404', message: 'The file is gone.' })
  const anchor = document.createElement('a')
  anchor.href = `${link}&download=${encodeURIComponent(name)}`
  anchor.download = name
  anchor.rel = 'noopener'
  anchor.click()
}
