import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { PRODUCT_NAME } from '../../../src/ui/brand'
import { ROOT } from '../root'
import { START_STEPS, type StartProgress } from '../start-progress'
import { contentSecurityPolicy, inlineScriptHashes } from './headers'

const readWords = (language: string): Record<string, string> =>
  JSON.parse(
    readFileSync(join(ROOT, 'locales', language, 'starting.json'), 'utf8').replaceAll(
      '{{product}}',
      PRODUCT_NAME,
    ),
  )

const embed = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c')

/**
 * A page without any other file, since nothing else can be served yet. It asks `/healthz` until the console answers, and
 * reads language and theme from where the console keeps them.
 */
function startingPage(): string {
  const words = { en: readWords('en'), tr: readWords('tr') }
  const noScript = [words.en, words.tr]
    .map((text) => `<p lang="${text === words.en ? 'en' : 'tr'}">${text.title}. ${text.noScript}</p>`)
    .join('')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${PRODUCT_NAME}</title>
<link rel="icon" href="data:,">
<style>
:root { --page: #f4f6f9; --text: #16202e; --soft: #4a5768; --line: #dce2ea; --fill: #1d4ed8 }
[data-theme=dark] { --page: #0d131b; --text: #e6ebf2; --soft: #a9b4c2; --line: #2c3746; --fill: #8ab4ff }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--page); color: var(--text);
  font: 14px/1.57 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif }
main { width: min(26rem, 100vw - 3rem) }
h1 { font-size: 20px; margin: 0 0 .75rem }
p { margin: .75rem 0 0; color: var(--soft) }
#step { color: var(--text); font-variant-numeric: tabular-nums }
[role=progressbar] { height: 6px; border-radius: 3px; background: var(--line); overflow: hidden }
[role=progressbar] div { height: 100%; width: 0; background: var(--fill); transition: width .4s }
@media (prefers-reduced-motion: reduce) { [role=progressbar] div { transition: none } }
</style>
</head>
<body>
<main>
<h1 id="title"></h1>
<div role="progressbar" aria-labelledby="title" aria-valuemin="0" aria-valuemax="100" aria-valuenow="0"><div></div></div>
<p id="step" role="status"></p>
<p id="hint"></p>
<noscript>${noScript}</noscript>
</main>
<script>
const words = ${embed(words)}, steps = ${embed(START_STEPS)}
const read = (key) => { try { return localStorage.getItem(key) } catch { return null } }
const language = (read('i18nextLng') || navigator.language || '').startsWith('tr') ? 'tr' : 'en'
const theme = read('theme')
const isDark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
document.documentElement.lang = language
document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
const text = words[language], at = (id) => document.getElementById(id)
document.title = at('title').textContent = text.title
at('hint').textContent = text.hint
const bar = document.querySelector('[role=progressbar]')
let misses = 0
function show({ step, done, total }) {
  const share = Math.round((100 * (steps.indexOf(step) + (total ? done / total : 0))) / steps.length)
  bar.setAttribute('aria-valuenow', share)
  bar.firstChild.style.width = share + '%'
  at('step').textContent = text[step].replace('{{done}}', Math.min(done + 1, total)).replace('{{total}}', total)
}
async function look() {
  try {
    const answer = await fetch('/healthz', { cache: 'no-store' })
    if (answer.ok) return location.reload()
    const { starting } = await answer.json()
    misses = 0
    at('hint').textContent = text.hint
    if (starting) show(starting)
  } catch {
    if (++misses > 4) at('hint').textContent = text.gone
  }
  setTimeout(look, 500)
}
look()
</script>
</body>
</html>
`
}

/**
 * Answers while the database opens: a page that shows how far the start is to whoever opens the console, the same as
 * JSON at `/healthz`, and 503 in the form of PostgREST to every other request.
 */
export function startingListener(progress: () => StartProgress): RequestListener {
  const page = startingPage()
  const policy = contentSecurityPolicy(inlineScriptHashes(page))
  const unavailable = JSON.stringify({
    code: '57P03',
    message: `${PRODUCT_NAME} is starting`,
    details: null,
    hint: null,
  })
  return (request, response) => {
    const headers = {
      'retry-after': '2',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    }
    const answer = (type: string, body: string, more: Record<string, string> = {}) => {
      response.writeHead(503, { ...headers, ...more, 'content-type': type })
      response.end(request.method === 'HEAD' ? undefined : body)
    }
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (isRead && request.url?.split('?')[0] === '/healthz')
      answer('application/json', JSON.stringify({ ok: false, starting: progress() }))
    else if (isRead && request.headers.accept?.includes('text/html'))
      answer('text/html; charset=utf-8', page, {
        'content-security-policy': policy,
        'x-frame-options': 'DENY',
        'referrer-policy': 'same-origin',
      })
    else answer('application/json', unavailable)
  }
}
