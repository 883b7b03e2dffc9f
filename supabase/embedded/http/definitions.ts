import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { Hono } from 'hono'
import type { PublishedFile } from '../definitions/publish'
import type { DefinitionStore } from '../definitions/store'
import type { Env } from './context'
import { accepts, ENCODINGS, type Encoding, unchanged } from './encodings'

const pack: Record<Encoding, (text: string) => Promise<Buffer>> = {
  br: (text) => promisify(brotliCompress)(text),
  gzip: (text) => promisify(gzip)(text, { level: 9 }),
}

/** The definitions and their texts. With the current version in its address, a file never changes. */
export function definitionRoutes(definitions: DefinitionStore): Hono<Env> {
  const packed = new WeakMap<PublishedFile, Partial<Record<Encoding, Promise<Buffer>>>>()
  /** Once for each version, when it is first asked for. */
  const packedAs = (file: PublishedFile, encoding: Encoding) => {
    const known = packed.get(file) ?? {}
    packed.set(file, known)
    known[encoding] ??= pack[encoding](file.body)
    return known[encoding]
  }
  const app = new Hono<Env>()
  app.get('*', async (c) => {
    const file = definitions.current().files.get(c.req.path)
    if (!file) return c.text('Not found', 404)
    const etag = `"${file.version}"`
    const headers: Record<string, string> = {
      etag,
      vary: 'accept-encoding',
      'cache-control': c.req.query('v') === file.version ? 'public, max-age=31536000, immutable' : 'no-cache',
    }
    if (unchanged(c, etag)) return c.body(null, 304, headers)
    const type = 'application/json; charset=utf-8'
    const encoding = ENCODINGS.find((name) => accepts(c.req.header('accept-encoding'), name))
    if (!encoding) return c.body(file.body, 200, { ...headers, 'content-type': type })
    const body = new Uint8Array(await packedAs(file, encoding))
    return c.body(body, 200, { ...headers, 'content-encoding': encoding, 'content-type': type })
  })
  return app
}
