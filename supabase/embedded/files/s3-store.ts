import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import { StartError } from '../start-error'
import { type ByteRange, type FileStore, StorageFull, StorageUnavailable } from './file-store'

/** A storage that sends nothing for so long is taken for gone. */
const PATIENCE_MS = 20_000

interface Options {
  range?: ByteRange
  from?: { file: string; size: number }
}

/**
 * A bucket of any S3-compatible storage, in path style. aws4fetch signs, and Node sends: `fetch` sends a stream without
 * its length, which S3 refuses.
 */
export class S3Store implements FileStore {
  readonly #base: string
  readonly #key: string
  readonly #secret: string
  readonly #region: string

  /** @throws StartError when the address is not complete */
  constructor(url: string) {
    const parsed = URL.canParse(url) ? new URL(url) : null
    const [, bucket] = /^\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/?$/.exec(parsed?.pathname ?? '') ?? []
    if (parsed?.protocol !== 's3:' || !bucket || !parsed.username || !parsed.password || !parsed.host)
      throw new StartError(
        'STORAGE_URL must be s3://key:secret@host/bucket?region=…, with key and secret percent-encoded.',
      )
    this.#key = decodeURIComponent(parsed.username)
    this.#secret = decodeURIComponent(parsed.password)
    this.#region = parsed.searchParams.get('region') ?? 'us-east-1'
    const protocol = parsed.searchParams.get('tls') === 'off' ? 'http' : 'https'
    this.#base = `${protocol}://${parsed.host}/${bucket}`
  }

  async #send(method: string, path: string, { range, from }: Options = {}): Promise<IncomingMessage> {
    const signed = await new AwsV4Signer({
      method,
      url: `${this.#base}/files/${path}`,
      accessKeyId: this.#key,
      secretAccessKey: this.#secret,
      service: 's3',
      region: this.#region,
      headers: {
        'x-amz-content-sha256': 'UNSIGNED-PAYLOAD',
        ...(range ? { range: `bytes=${range.start}-${range.end}` } : {}),
      },
    }).sign()
    const headers: Record<string, string> = Object.fromEntries(signed.headers)
    if (from) headers['content-length'] = String(from.size)
    const ask = signed.url.protocol === 'https:' ? requestHttps : requestHttp
    return new Promise((done, fail) => {
      const gone = (error: Error) =>
        fail(new StorageUnavailable(`The storage does not answer: ${error.message}`))
      const sent = ask(signed.url, { method, headers, timeout: PATIENCE_MS }, done)
      sent.on('timeout', () => sent.destroy(new Error('it took too long')))
      sent.on('error', gone)
      if (!from) return sent.end()
      const file = createReadStream(from.file)
      file.on('error', (error) => sent.destroy(error))
      file.pipe(sent)
    })
  }

  /** @throws StorageFull or StorageUnavailable for what is neither done nor not found */
  async #settle(answer: IncomingMessage): Promise<void> {
    let text = ''
    for await (const chunk of answer) if (text.length < 2_000) text += String(chunk)
    const status = answer.statusCode ?? 0
    if (status < 300 || status === 404) return
    if (status === 507 || /<Code>(?:QuotaExceeded|XMinioStorageFull|EntityTooLarge)/.test(text))
      throw new StorageFull(`The storage has no room (${status}).`)
    throw new StorageUnavailable(
      `The storage answered ${status} ${/<Code>(\w+)/.exec(text)?.[1] ?? ''}`.trim(),
    )
  }

  async put(path: string, file: string, size: number): Promise<void> {
    const answer = await this.#send('PUT', path, { from: { file, size } })
    const isMissing = answer.statusCode === 404
    await this.#settle(answer)
    if (isMissing) throw new StorageUnavailable('The bucket of STORAGE_URL is not there.')
    await rm(file, { force: true })
  }

  async read(path: string, range?: ByteRange): Promise<Readable | null> {
    const answer = await this.#send('GET', path, range ? { range } : {})
    if (answer.statusCode === 200 || answer.statusCode === 206) return answer
    await this.#settle(answer)
    return null
  }

  async remove(path: string): Promise<void> {
    await this.#settle(await this.#send('DELETE', path))
  }

  /** The bucket is the operator's; the objects of a database that is gone stay there. */
  clear(): void {}
}
