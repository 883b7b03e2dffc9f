import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Hono } from 'hono'
import { getMimeType } from 'hono/utils/mime'
import type { Backend, Env } from './context'
import { accepts, ENCODINGS, type Encoding, unchanged } from './encodings'
import { contentSecurityPolicy, inlineScriptHashes } from './headers'
import { canonicalPath } from './path'

interface Asset {
  file: string
  type: string
  etag: string
  /** Encodings the build made, best first. */
  encodings: Encoding[]
  bodies: Map<string, Uint8Array<ArrayBuffer>>
}

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
    // A file compressed by the build is served as an encoding of its original.
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

/** Null when the file is gone: a build replaces the folder while we serve it. */
function bodyOf(asset: Asset, encoding: Encoding | ''): Uint8Array<ArrayBuffer> | null {
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
  text.replaceAll('&', '&amp;').replaceAll("'", '&#39;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const metaOf = (name: string, value: object) =>
  `<meta name="${name}" content='${escapeAttribute(JSON.stringify(value))}' />`

/**
 * Tells the page where its backend is, so that one build serves every installation, and which definitions and texts to
 * fetch, in place of what the build wrote there.
 */
export function withConfig(html: string, backend: Backend): string {
  const published = backend.definitions?.current()
  const lines = [
    metaOf('konsol-config', { url: '', key: backend.keys.publishableKey }),
    ...(published ? [metaOf('konsol-console', { ...published.versions, paths: published.paths })] : []),
  ]
  return html
    .replace(/\s*<meta name="konsol-console"[^>]*>/, '')
    .replace(/<head>/i, (head) => [head, ...lines].join('\n    '))
}

function packPage(page: string) {
  const packed = {
    br: new Uint8Array(brotliCompressSync(page)),
    gzip: new Uint8Array(gzipSync(page, { level: 9 })),
  }
  return { page, etag: tag(page), packed }
}

/** The built console: its files, and its page for every path that is not a file. */
export function staticRoutes(backend: Backend, folder: string): Hono<Env> {
  const assets = readAssets(folder)
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const policy = contentSecurityPolicy(inlineScriptHashes(html))
  let current = packPage(withConfig(html, backend))
  /** Written anew when a definition or a text has changed. */
  const currentPage = () => {
    const page = withConfig(html, backend)
    if (page !== current.page) current = packPage(page)
    return current
  }
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
    const { page, etag, packed } = currentPage()
    const headers = {
      etag,
      vary: 'accept-encoding',
      'cache-control': 'no-cache',
      'content-security-policy': policy,
    }
    if (unchanged(c, etag)) return c.body(null, 304, headers)
    const encoding = ENCODINGS.find((name) => accepts(c.req.header('accept-encoding'), name))
    if (!encoding) return c.html(page, 200, headers)
    return c.body(packed[encoding], 200, {
      ...headers,
      'content-encoding': encoding,
      'content-type': 'text/html; charset=utf-8',
    })
  })
  return app
}
