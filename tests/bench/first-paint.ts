import type { Browser } from '@playwright/test'
import { setting } from './setting'
import { table, times } from './statistics'

interface Paint {
  /** Milliseconds after the navigation began. */
  firstPaint: number
  usableForm: number
}

const ROUNDS = setting('BENCH_ROUNDS', 5, 1)
/** A phone on a slow mobile network, as Lighthouse simulates it. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 96_000 }
const CPU_SLOWDOWN = 4

/** Notes when a password field can first be seen; runs in the page. */
const WATCH_FORM = `{
  const look = () => {
    if (document.querySelector('input[type="password"]')?.checkVisibility({ visibilityProperty: true }))
      globalThis.usableForm = performance.now()
    else requestAnimationFrame(look)
  }
  look()
}`

async function visit(browser: Browser, url: string): Promise<Paint> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 390, height: 844 } })
  try {
    await context.addInitScript(WATCH_FORM)
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Network.enable')
    await session.send('Network.emulateNetworkConditions', NETWORK)
    await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
    await page.goto(`${url}/login`, { waitUntil: 'load' })
    await page.waitForFunction(
      () => 'usableForm' in globalThis && performance.getEntriesByName('first-contentful-paint').length > 0,
    )
    return await page.evaluate(() => ({
      firstPaint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      usableForm: (globalThis as { usableForm?: number }).usableForm ?? Number.NaN,
    }))
  } finally {
    await context.close()
  }
}

/** Opens the sign-in page of each console in turn, on a slow network and a slow processor, with an empty cache. */
export async function printFirstPaint(browser: Browser, consoles: Record<string, string>): Promise<void> {
  const paints = Object.entries(consoles).map(([name, url]) => ({ name, url, seen: [] as Paint[] }))
  for (let round = 0; round < ROUNDS; round++)
    for (const { url, seen } of paints) seen.push(await visit(browser, url))
  const rows = paints.map(({ name, seen }) => ({
    name,
    firstPaint: times(seen.map((paint) => paint.firstPaint)).p50,
    usableForm: times(seen.map((paint) => paint.usableForm)).p50,
  }))
  const last = rows.at(-1)
  const cell = (value: number, compared: number | undefined) =>
    `${Math.round(value)} ms (${(value / (compared ?? value)).toFixed(2)})`
  console.log(`\nSign-in page, slow network and processor, median of ${ROUNDS}, ratio to the last row`)
  console.log(
    table(
      ['console', 'first contentful paint', 'usable form'],
      rows.map((row) => [
        row.name,
        cell(row.firstPaint, last?.firstPaint),
        cell(row.usableForm, last?.usableForm),
      ]),
    ),
  )
}
