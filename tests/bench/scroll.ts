/**
 * How evenly a long list scrolls: `npm run bench:scroll`. The mouse wheel is turned through 10,000 loaded devices and,
 * as what it is compared with, up and down 100 rows that all stand in the document: slowly, as one reads, and as fast
 * as a wheel turns. Prints, never fails. BENCH_PROFILE=<file> keeps a CPU profile of each way through the long list.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { findChromium } from '../../scripts/chromium'
import { startServerProcess } from '../support/server-process'
import { table } from './statistics'

const EMAIL = 'admin@acme.test'
const PASSWORD = 'Demo-Console-2026'
const DEVICES = Number(process.env.BENCH_DEVICES ?? 10_500)
const LOADED = 10_000
/** Pixels a turn of the wheel: a notch of it, and a flick. */
const TURNS_OF = [120, 1000] as const
/** How many turns are measured of each. */
const TURNS = Number(process.env.BENCH_TURNS ?? 300)
/** A frame that takes longer than one and a half of a display's 60 a second was dropped. */
const DROPPED_MS = 25

interface Frames {
  frames: number[]
  tasks: number
  rows: number
}

async function scrollThrough(page: Page, turnBy: number, isBack: boolean): Promise<Frames> {
  const box = page.getByRole('main').locator('.k-table-box')
  await box.hover()
  await page.evaluate(() => {
    const state = window as unknown as { bench: Frames & { stop: () => void } }
    const frames: number[] = []
    let before = performance.now()
    let isOn = true
    const stop = () => {
      isOn = false
    }
    const bench = { frames, tasks: 0, rows: 0, stop }
    state.bench = bench
    new PerformanceObserver((list) => {
      bench.tasks += list.getEntries().length
    }).observe({ type: 'longtask' })
    const step = (now: number) => {
      frames.push(now - before)
      before = now
      if (frames.length % 20 === 0)
        bench.rows = Math.max(bench.rows, document.querySelectorAll('tr[data-row]').length)
      if (isOn) requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })
  // Up and down as far as 100 rows go.
  const away = Math.round(4000 / turnBy)
  for (let turn = 0; turn < TURNS; turn++)
    await page.mouse.wheel(0, isBack && Math.floor(turn / away) % 2 === 1 ? -turnBy : turnBy)
  return page.evaluate(() => {
    const { bench } = window as unknown as { bench: Frames & { stop: () => void } }
    bench.stop()
    return { frames: bench.frames.slice(1), tasks: bench.tasks, rows: bench.rows }
  })
}

const dist = process.env.BENCH_DIST ?? 'dist'
if (!existsSync(join(dist, 'index.html'))) {
  console.error('There is no built console. Run `npm run build` first.')
  process.exit(2)
}
const dataDir = mkdtempSync(join(tmpdir(), 'konsol-scroll-'))
const place = await startServerProcess({ dataDir: join(dataDir, 'data'), demo: true, dist })
const executablePath = findChromium()
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
try {
  await place.query(
    `insert into public.devices (company_id, name, os, version)
     select d.company_id, 'BENCH-' || n, d.os, d.version
     from (select d.* from public.devices d join public.companies c on c.id = d.company_id
           where d.company_id = (select r.company_id from public.user_roles r
             join public.profiles p on p.id = r.user_id where p.email = $1) limit 1) d
       cross join generate_series(1, $2::int) n`,
    [EMAIL, DEVICES],
  )
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 } })
  // What runs the script wraps named functions in a helper that a page does not have.
  await context.addInitScript('globalThis.__name = (made) => made')
  const page = await context.newPage()
  await page.goto(`${place.url}/login`)
  await page.locator('input[type="email"]').fill(EMAIL)
  await page.locator('input[type="password"]').fill(PASSWORD)
  await page.locator('button[type="submit"]').click()
  await page.locator('aside nav').waitFor()

  await page.goto(`${place.url}/devices?pageSize=100&sort=name`)
  await page.locator('tr[data-row]').nth(99).waitFor()
  await page.waitForTimeout(1500)
  const plain = new Map<number, Frames>()
  for (const turnBy of TURNS_OF) plain.set(turnBy, await scrollThrough(page, turnBy, true))

  await page.goto(`${place.url}/devices?pageSize=scroll&sort=name`)
  await page.locator('.k-table-box[data-long="true"]').waitFor()
  const started = performance.now()
  const end = page.getByText(`${LOADED.toLocaleString('en')} rows are loaded`)
  while (!(await end.isVisible())) {
    await page.locator('.k-table-box').evaluate((element) => void element.scrollTo(0, element.scrollHeight))
    await page.waitForTimeout(50)
  }
  const loading = performance.now() - started
  const long = new Map<number, Frames>()
  const profiler = process.env.BENCH_PROFILE ? await context.newCDPSession(page) : null
  await profiler?.send('Profiler.enable')
  for (const turnBy of TURNS_OF) {
    await page.locator('.k-table-box').evaluate((element) => void element.scrollTo(0, 0))
    await page.waitForTimeout(1500)
    await profiler?.send('Profiler.start')
    long.set(turnBy, await scrollThrough(page, turnBy, false))
    const kept = await profiler?.send('Profiler.stop')
    if (kept) writeFileSync(`${process.env.BENCH_PROFILE}-${turnBy}.cpuprofile`, JSON.stringify(kept.profile))
  }

  const figures = ({ frames, tasks, rows }: Frames = { frames: [], tasks: 0, rows: 0 }) => {
    const sorted = [...frames].sort((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
    const dropped = frames.filter((frame) => frame > DROPPED_MS).length
    return { p50: at(0.5), p95: at(0.95), most: at(1), dropped: (100 * dropped) / frames.length, tasks, rows }
  }
  for (const turnBy of TURNS_OF) {
    const [few, many] = [figures(plain.get(turnBy)), figures(long.get(turnBy))]
    const row = (name: string, key: keyof typeof few, unit: string) => [
      name,
      `${few[key].toFixed(1)}${unit}`,
      `${many[key].toFixed(1)}${unit}`,
      few[key] > 0 ? (many[key] / few[key]).toFixed(2) : '–',
    ]
    console.log(
      table(
        [`${turnBy} px a turn`, '100 plain rows', '10,000 loaded rows', 'ratio'],
        [
          row('frame, p50', 'p50', ' ms'),
          row('frame, p95', 'p95', ' ms'),
          row('longest frame', 'most', ' ms'),
          row('dropped frames', 'dropped', ' %'),
          row('long tasks', 'tasks', ''),
          row('rows in the document, at most', 'rows', ''),
        ],
      ),
    )
  }
  console.log(`\n10,000 rows were loaded in ${(loading / 1000).toFixed(1)} s.`)
} finally {
  await browser.close()
  await place.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
