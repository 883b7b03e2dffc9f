import { config, supabase } from '@/data/client'
import { toDataError } from '@/data/errors'

/** A proxy's usual limit is above it, and a slow line sends it within the time a request has. */
const PIECE_BYTES = 2 * 1024 * 1024
const MAX_ATTEMPTS = 4

interface UploadOptions {
  signal: AbortSignal
  onProgress: (sentBytes: number) => void
}

async function send(id: string, method: string, query = '', body?: Blob, signal?: AbortSignal) {
  const { data } = await supabase.auth.getSession()
  return fetch(`${config.url}/packages/v1/${id}${query}`, {
    method,
    headers: {
      apikey: config.key,
      authorization: `Bearer ${data.session?.access_token ?? ''}`,
      ...(body ? { 'content-type': 'application/octet-stream' } : {}),
    },
    ...(body ? { body } : {}),
    ...(signal ? { signal } : {}),
  })
}

/** A lost connection and a busy server are tried again; what was refused is not. */
async function sendPiece(id: string, offset: number, piece: Blob, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    signal.throwIfAborted()
    const response = await send(id, 'PUT', `?offset=${offset}`, piece, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      if (attempt === MAX_ATTEMPTS) throw toDataError(error)
      return null
    })
    if (response?.ok) return
    if (response) {
      const body = (await response.json().catch(() => ({}))) as { hint?: unknown; message?: unknown }
      // The answer to this piece was lost, and the server has it.
      if (response.status === 409 && attempt > 1) return
      if (![429, 503].includes(response.status) || attempt === MAX_ATTEMPTS)
        throw toDataError(
          // The rules of an upload are those of the function that opens it.
          typeof body.hint === 'string' ? { ...body, code: '23514' } : body,
          response.status,
        )
    }
    await new Promise((done) => setTimeout(done, 1_000 * attempt))
  }
}

/** Sends the bytes of an upload that `begin_package_upload` opened. @throws DataError, or AbortError when it is canceled */
export async function uploadPackage(
  id: string,
  file: File,
  { signal, onProgress }: UploadOptions,
): Promise<void> {
  try {
    for (let offset = 0; offset < file.size; offset += PIECE_BYTES) {
      await sendPiece(id, offset, file.slice(offset, offset + PIECE_BYTES), signal)
      onProgress(Math.min(file.size, offset + PIECE_BYTES))
    }
  } catch (error) {
    void send(id, 'DELETE').catch(() => undefined)
    throw error
  }
}
