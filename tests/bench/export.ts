/**
 * A list of devices as a file, in Chromium: `npm run bench:export`. Seconds from the press to the saved file, and
 * the most memory in use meanwhile. Reads what `npm run bench:seed` loaded (DATA_DIR as there); prints, never fails.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { strFromU8, unzipSync } from 'fflate'
import { startServerProcess } from '../support/server-process'
import { type BareBrowser, startBareBrowser } from './bare-browser'
import { PASSWORD } from './fleet'
import { table } from './statistics'

const EMAIL = 'super@bench.test'
/** Design: what an export of 100,000 devices may take of the browser's memory. */
const BUDGET_MB = 100
const SAMPLE_MS = 50
/** Until what opening the page took has been given back. */
const SETTLE_MS = 3000
/** Nothing is wrong with the memory of a slow machine. */
const MAX_MS = 300_000
const FORMATS = { csv: 'CSV', xlsx: 'Excel (XLSX)' } as const
type Format = keyof typeof FORMATS

interface Memory {
  /** The page's own: objects, strings, and garbage not yet collected. */
  heap: number
  /** The page's process, and all of the browser's together. */
  page: number
  all: number
}

const MB = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)
const growth = (from: number, to: number) => `${MB(from)} → ${MB(to)}`

/**
 * A process's own memory and its share of the memory it has in common with others, in bytes; the program's own
 * files are left out, whose share changes with every other browser on the machine. As Linux tells it; elsewhere 0.
 */
function heldBy(pid: number): number {
  try {
    const parts = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8').matchAll(/^Pss_(?:Anon|Shmem):\s+(\d+)/gm)
    return [...parts].reduce((sum, [, kilobytes]) => sum + Number(kilobytes) * 1024, 0)
  } catch {
    return 0
  }
}

/** While nothing but memory is asked for: a tool that follows the network keeps every answer in the page's process. */
async function memoryProbe(browser: BareBrowser) {
  const session = await browser.attachToPage()
  await session('Performance.enable')
  const read = async (): Promise<Memory> => {
    const { metrics } = await session<{ metrics: { name: string; value: number }[] }>(
      'Performance.getMetrics',
    )
    const { processInfo } = await browser.send<{ processInfo: { id: number; type: string }[] }>(
      'SystemInfo.getProcessInfo',
    )
    const sizes = processInfo.map(({ id, type }) => ({ type, size: heldBy(id) }))
    return {
      heap: metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0,
      page: Math.max(0, ...sizes.filter(({ type }) => type === 'renderer').map(({ size }) => size)),
      all: sizes.reduce((sum, { size }) => sum + size, 0),
    }
  }
  return {
    collect: () => session('HeapProfiler.collectGarbage'),
    press: (name: string) =>
      session('Runtime.evaluate', {
        expression: `[...document.querySelectorAll('[role=dialog] button')].find((each) => each.textContent === ${JSON.stringify(name)}).click()`,
      }),
    read,
  }
}

type Probe = Awaited<ReturnType<typeof memoryProbe>>

/** Runs it and tells the most memory seen meanwhile. */
async function peakOf(probe: Probe, run: () => Promise<void>): Promise<Memory> {
  const peak: Memory = { heap: 0, page: 0, all: 0 }
  const look = async () => {
    const now = await probe.read()
    for (const name of ['heap', 'page', 'all'] as const) peak[name] = Math.max(peak[name], now[name])
  }
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      await look()
      await new Promise((done) => setTimeout(done, SAMPLE_MS))
    }
  })()
  try {
    await run()
  } finally {
    isOver = true
    await looking
  }
  await look()
  return peak
}

/** Rows in the saved file, its header left out: no name or serial number here has a line of its own. */
function rowsIn(path: string, format: Format): number {
  const bytes = readFileSync(path)
  if (format === 'csv') return bytes.toString('utf8').split('\r\n').length - 2
  const sheet = unzipSync(bytes)['xl/worksheets/sheet1.xml']
  return sheet ? strFromU8(sheet).split('<row ').length - 2 : 0
}

const folder = mkdtempSync(join(tmpdir(), 'konsol-export-'))

/** The file that the browser saved, once it is whole. */
async function savedFile(format: Format): Promise<string> {
  const late = performance.now() + MAX_MS
  while (performance.now() < late) {
    const name = readdirSync(folder).find((each) => each.endsWith(`.${format}`))
    if (name !== undefined) return join(folder, name)
    await new Promise((done) => setTimeout(done, SAMPLE_MS))
  }
  throw new Error('No file was saved')
}

async function openDialog(page: Page, format: Format): Promise<void> {
  await page.goto(`${place.url}/devices`)
  await page.locator('main tbody tr').first().waitFor()
  await page.getByRole('button', { name: 'More actions for the list' }).click()
  await page.getByRole('menuitem', { name: 'Export' }).click()
  await page.getByRole('dialog').getByRole('radio', { name: FORMATS[format] }).check()
}

async function measure(browser: BareBrowser, format: Format): Promise<string[]> {
  await withPage(browser, (page) => openDialog(page, format))
  // Playwright's own download settings are replaced with it.
  await browser.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder })
  const probe = await memoryProbe(browser)
  await probe.collect()
  await new Promise((done) => setTimeout(done, SETTLE_MS))
  const before = await probe.read()
  const started = performance.now()
  let path = ''
  const peak = await peakOf(probe, async () => {
    await probe.press('Export')
    path = await savedFile(format)
  })
  const seconds = (performance.now() - started) / 1000
  await probe.press('Close')
  await probe.collect()
  await new Promise((done) => setTimeout(done, SETTLE_MS))
  const after = await probe.read()
  const added = (name: 'page' | 'all') => {
    const most = peak[name] - before[name]
    return `${MB(most)} of ${BUDGET_MB}: ${most <= BUDGET_MB * 1024 * 1024 ? 'kept' : 'OVER'}`
  }
  return [
    FORMATS[format],
    String(rowsIn(path, format)),
    (statSync(path).size / 1024 / 1024).toFixed(1),
    seconds.toFixed(1),
    growth(before.heap, peak.heap),
    `${growth(before.page, peak.page)} → ${MB(after.page)}`,
    added('page'),
    `${growth(before.all, peak.all)} → ${MB(after.all)}`,
    added('all'),
  ]
}

/** The page in the hands of Playwright, which lets go of it afterwards. */
async function withPage(browser: BareBrowser, run: (page: Page) => Promise<void>): Promise<void> {
  const hands = await chromium.connectOverCDP(browser.url)
  try {
    const [context] = hands.contexts()
    if (!context) throw new Error('The browser has no window')
    await run(context.pages()[0] ?? (await context.newPage()))
  } finally {
    await hands.close()
  }
}

const dist = resolve(process.env.BENCH_DIST ?? 'dist')
const dataDir = resolve(process.env.DATA_DIR ?? join('supabase', '.temp', 'bench'))
if (!existsSync(join(dist, 'index.html')) || !existsSync(dataDir)) {
  console.error('There is no built console or no fleet. Run `npm run build` and `npm run bench:seed` first.')
  process.exit(2)
}
const place = await startServerProcess({ dataDir, dist })
const browser = await startBareBrowser()
try {
  await withPage(browser, async (page) => {
    await page.goto(`${place.url}/login`)
    await page.locator('input[type="email"]').fill(EMAIL)
    await page.locator('input[type="password"]').fill(PASSWORD)
    await page.locator('button[type="submit"]').click()
    await page.locator('aside nav').waitFor()
  })
  const rows: string[][] = []
  for (const format of ['csv', 'xlsx'] as const) rows.push(await measure(browser, format))
  console.log('Megabytes before → at most → after; the JS heap with what is not yet collected.\n')
  const titles = [
    'file',
    'rows',
    'size',
    'seconds',
    'JS heap',
    'page process',
    'added',
    'all processes',
    'added',
  ]
  console.log(table(titles, rows))
} finally {
  await browser.stop()
  await place.stop()
  rmSync(folder, { recursive: true, force: true })
}
