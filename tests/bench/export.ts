/**
 * A list of devices as a file, in Chromium: `npm run bench:export`. Seconds from the press to the saved file, and
 * the most memory in use meanwhile. Reads what `npm run bench:seed` loaded (DATA_DIR as there); prints, never fails.
 */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Browser, chromium, type Page } from '@playwright/test'
import { strFromU8, unzipSync } from 'fflate'
import { findChromium } from '../../scripts/chromium'
import { startServerProcess } from '../support/server-process'
import { PASSWORD } from './fleet'
import { table } from './statistics'

const EMAIL = 'super@bench.test'
/** Design: what an export of 100,000 devices may take of the browser's memory. */
const BUDGET_MB = 100
const SAMPLE_MS = 50
const FORMATS = { csv: 'CSV', xlsx: 'Excel (XLSX)' } as const
type Format = keyof typeof FORMATS

interface Memory {
  /** The page's own: objects, strings, and garbage not yet collected. */
  heap: number
  /** What the operating system counts for the page's process and for the browser's, where it tells. */
  page: number
  browser: number
}

const MB = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)

/** Resident memory of a process in bytes, as Linux tells it; elsewhere 0. */
function resident(pid: number): number {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Number(kilobytes ?? 0) * 1024
  } catch {
    return 0
  }
}

async function memoryProbe(browser: Browser, page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const whole = await browser.newBrowserCDPSession()
  const largest = (pids: number[]) => Math.max(0, ...pids.map(resident))
  const read = async (): Promise<Memory> => {
    const { metrics } = await session.send('Performance.getMetrics')
    const { processInfo } = await whole.send('SystemInfo.getProcessInfo')
    const ofType = (type: string) => processInfo.filter((each) => each.type === type).map(({ id }) => id)
    return {
      heap: metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0,
      page: largest(ofType('renderer')),
      browser: largest(ofType('browser')),
    }
  }
  return {
    collect: () => session.send('HeapProfiler.collectGarbage'),
    read,
  }
}

type Probe = Awaited<ReturnType<typeof memoryProbe>>

/** Runs it and tells the most memory seen meanwhile. */
async function peakOf(probe: Probe, run: () => Promise<void>): Promise<Memory> {
  const peak: Memory = { heap: 0, page: 0, browser: 0 }
  const look = async () => {
    const now = await probe.read()
    for (const name of ['heap', 'page', 'browser'] as const) peak[name] = Math.max(peak[name], now[name])
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

async function measure(page: Page, probe: Probe, format: Format): Promise<string[]> {
  await page.getByRole('main').getByRole('button', { name: 'Export', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: FORMATS[format] }).check()
  await probe.collect()
  const before = await probe.read()
  const started = performance.now()
  let path = ''
  let seconds = 0
  const peak = await peakOf(probe, async () => {
    const saved = page.waitForEvent('download', { timeout: 600_000 })
    await dialog.getByRole('button', { name: 'Export', exact: true }).click()
    const download = await saved
    seconds = (performance.now() - started) / 1000
    path = await download.path()
  })
  await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
  const growth = peak.heap - before.heap
  return [
    FORMATS[format],
    String(rowsIn(path, format)),
    (statSync(path).size / 1024 / 1024).toFixed(1),
    seconds.toFixed(1),
    `${MB(before.heap)} → ${MB(peak.heap)}`,
    `${MB(growth)} of ${BUDGET_MB}: ${growth <= BUDGET_MB * 1024 * 1024 ? 'kept' : 'OVER'}`,
    `${MB(before.page)} → ${MB(peak.page)}`,
    `${MB(before.browser)} → ${MB(peak.browser)}`,
  ]
}

const dist = resolve(process.env.BENCH_DIST ?? 'dist')
const dataDir = resolve(process.env.DATA_DIR ?? join('supabase', '.temp', 'bench'))
if (!existsSync(join(dist, 'index.html')) || !existsSync(dataDir)) {
  console.error('There is no built console or no fleet. Run `npm run build` and `npm run bench:seed` first.')
  process.exit(2)
}
const place = await startServerProcess({ dataDir, dist })
const executablePath = findChromium()
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
try {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.goto(`${place.url}/login`)
  await page.locator('input[type="email"]').fill(EMAIL)
  await page.locator('input[type="password"]').fill(PASSWORD)
  await page.locator('button[type="submit"]').click()
  await page.locator('aside nav').waitFor()
  await page.goto(`${place.url}/devices`)
  await page.locator('main tbody tr').first().waitFor()
  const probe = await memoryProbe(browser, page)
  const rows: string[][] = []
  for (const format of ['csv', 'xlsx'] as const) rows.push(await measure(page, probe, format))
  console.log('Megabytes; the JS heap with what is not yet collected, processes as Linux counts them.\n')
  console.log(
    table(
      ['file', 'rows', 'size', 'seconds', 'JS heap', 'JS heap added', 'page process', 'browser process'],
      rows,
    ),
  )
} finally {
  await browser.close()
  await place.stop()
}
