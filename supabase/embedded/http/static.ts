import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type Context, Hono } from 'hono'
import { getMimeType } from 'hono/utils/mime'
import type { Backend, Env } from './context'
import { contentSecurityPolicy, inlineScriptHashes } from './headers'
import { canonicalPath } from './path'

interface Asset {
  file: string
  type: string
  etag: string
  /** Encodings the build made, best first. */
  encodings: ('br' | 'gzip')[]
  bodies: Map<string, Uint8Array<ArrayBuffer>>
}

const ENCODINGS = ['br', 'gzip'] as const
const EXTENSIONS = { br: '.br', gzip: '.gz' } as const

const bytes = (file: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(file))

const tag = (content: Uint8Array | string) =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`

/** Only what the build made is ever served: no path of a request is ever joined to a folder. */
function readAssets(folder: string): Map<string, Asset> {
  const files = new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(folder, name)).isFile(),
    ),
  )
  const assets = new Map<string, Asset>()
  for (const name of files) {
    const type = getMimeType(name)
    // What the build compressed is served as an encoding of the file it was made from.
    if (!type || name.endsWith(EXTENSIONS.gzip)) continue
    const file = join(folder, name)
    assets.set(`/${relative(folder, file).split(sep).join('/')}`, {
      file,
      type,
      etag: tag(readFileSync(file)),
      encodings: ENCODINGS.filter((encoding) => files.has(name + EXTENSIONS[encoding])),
      bodies: new Map(),
    })
  }
  return assets
}

const accepts = (header: string | undefined, encoding: string) =>
  (header ?? '').split(',').some((part) => {
    const [name, quality] = part.trim().split(/;\s*q=/)
    return name === encoding && Number(quality ?? 1) > 0
  })

/** Null when the file is gone: a build replaces the folder while we serve it. */
function bodyOf(asset: Asset, encoding: 'br' | 'gzip' | ''): Uint8Array<ArrayBuffer> | null {
  const known = asset.bodies.get(encoding)
  if (known) return known
  try {
    const body = bytes(encoding ? asset.file + EXTENSIONS[encoding] : asset.file)
    asset.bodies.set(encoding, body)
    return body
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

const escapeAttribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll("'", '&#39;').replaceAll('<', '&lt;')

/** Tells the page where its backend is, so that one build serves every installation. */
export function withConfig(html: string, backend: Backend): string {
  const config = escapeAttribute(JSON.stringify({ url: '', key: backend.keys.publishableKey }))
  return html.replace(/<head>/i, (head) => `${head}\n    <meta name="konsol-config" content='${config}' />`)
}

function unchanged(c: Context<Env>, etag: string): boolean {
  return (c.req.header('if-none-match') ?? '')
    .split(',')
    .some((value) => value.trim().replace(/^W\//, '') === etag)
}

/** The built console: its files, and its page for every path that is not a file. */
export function staticRoutes(backend: Backend, folder: string): Hono<Env> {
  const assets = readAssets(folder)
  const page = withConfig(readFileSync(join(folder, 'index.html'), 'utf8'), backend)
  const pageTag = tag(page)
  const packedPage = {
    br: new Uint8Array(brotliCompressSync(page)),
    gzip: new Uint8Array(gzipSync(page, { level: 9 })),
  }
  const policy = contentSecurityPolicy(inlineScriptHashes(page))
  assets.delete('/index.html')

  const app = new Hono<Env>()
  app.get('*', (c) => {
    const path = canonicalPath(new URL(c.req.url).pathname)
    if (path === null) return c.text('Bad request', 400)
    const asset = assets.get(path)
    if (asset) {
      const headers: Record<string, string> = {
        etag: asset.etag,
        vary: 'accept-encoding',
        'cache-control': path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      }
      if (unchanged(c, asset.etag)) return c.body(null, 304, headers)
      const encoding = asset.encodings.find((name) => accepts(c.req.header('accept-encoding'), name)) ?? ''
      const body = bodyOf(asset, encoding)
      if (!body)
        return c.text('The console was rebuilt. Restart the server to serve the new build.', 503, {
          'cache-control': 'no-store',
          'retry-after': '10',
        })
      if (encoding) headers['content-encoding'] = encoding
      return c.body(body, 200, { ...headers, 'content-type': asset.type })
    }
    // A missing file must not be answered with the page: an old tab would run it as a script.
    if (path !== '/index.html' && /\.[^/]+$/.test(path)) return c.text('Not found', 404)
    const headers = {
      etag: pageTag,
      vary: 'accept-encoding',
      'cache-control': 'no-cache',
      'content-security-policy': policy,
    }
    if (unchanged(c, pageTag)) return c.body(null, 304, headers)
    const encoding = ENCODINGS.find((name) => accepts(c.req.header('accept-encoding'), name))
    if (!encoding) return c.html(page, 200, headers)
    return c.body(packedPage[encoding], 200, {
      ...headers,
      'content-encoding': encoding,
      'content-type': 'text/html; charset=utf-8',
    })
  })
  return app
}
