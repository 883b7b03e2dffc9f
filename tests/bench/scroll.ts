/**
 * How evenly a long list scrolls: `npm run bench:scroll`. The mouse wheel is turned through 10,000 loaded devices and,
 * as what it is compared with, up and down 100 rows that are all in the document: slowly, as one reads, and as fast
 * as a wheel turns. They take turns, so that a busy machine slows both. Prints, never fails. BENCH_PROFILE=<file>
 * keeps CPU profiles of the long list.
 */
import { writeFileSync } from 'node:fs'
import type { CDPSession, Page } from '@playwright/test'
import { setting } from './setting'
import { table, times } from './statistics'
import { EMAIL, signIn, withDemoConsole } from './support/demo-console'

const DEVICES = 10_500
const LOADED = 10_000
/** Pixels a turn of the wheel: a notch of it, and a flick. */
const SPEEDS = [120, 1000] as const
/** Turns a round; all of them together stay within what is loaded, so that no row is met twice. */
const TURNS = setting('BENCH_TURNS', 120, 20)
const ROUNDS = setting('BENCH_ROUNDS', 3, 1)
/** A frame that takes longer than one and a half of a display's 60 a second was dropped. */
const DROPPED_MS = 25
/** How far 100 rows go up and down. */
const PLAIN_WAY = 4000

interface Frames {
  frames: number[]
  tasks: number
  rows: number
  /** Milliseconds that the page's main thread worked, by the processor's own count. */
  work: number
}

/** The work of the page's main thread, in milliseconds; other processes' work is not in it. */
async function workOf(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000
}

async function scrollThrough(
  page: Page,
  session: CDPSession,
  speed: number,
  isBack: boolean,
): Promise<Frames> {
  await page.bringToFront()
  await page.getByRole('main').locator('.k-table-box').hover()
  await page.evaluate(() => {
    const state = window as unknown as { bench: Omit<Frames, 'work'> & { stop: () => void } }
    const frames: number[] = []
    let before = performance.now()
    let isOn = true
    const observer = new PerformanceObserver((list) => {
      bench.tasks += list.getEntries().length
    })
    const stop = () => {
      isOn = false
      observer.disconnect()
    }
    const bench = { frames, tasks: 0, rows: 0, stop }
    state.bench = bench
    observer.observe({ type: 'longtask' })
    const step = (now: number) => {
      frames.push(now - before)
      before = now
      if (frames.length % 20 === 0)
        bench.rows = Math.max(bench.rows, document.querySelectorAll('tr[data-row]').length)
      if (isOn) requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })
  const before = await workOf(session)
  const away = Math.round(PLAIN_WAY / speed)
  for (let turn = 0; turn < TURNS; turn++)
    await page.mouse.wheel(0, isBack && Math.floor(turn / away) % 2 === 1 ? -speed : speed)
  const work = (await workOf(session)) - before
  const seen = await page.evaluate(() => {
    const { bench } = window as unknown as { bench: Omit<Frames, 'work'> & { stop: () => void } }
    bench.stop()
    return { frames: bench.frames.slice(1), tasks: bench.tasks, rows: bench.rows }
  })
  return { ...seen, work }
}

async function watched(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  return session
}

function figures(rounds: readonly Frames[]) {
  const frames = rounds.flatMap((round) => round.frames)
  const sum = (key: 'tasks' | 'work') => rounds.reduce((total, round) => total + round[key], 0)
  const dropped = frames.filter((frame) => frame > DROPPED_MS).length
  return {
    ...times(frames),
    most: Math.max(...frames),
    dropped: (100 * dropped) / frames.length,
    tasks: sum('tasks'),
    rows: Math.max(...rounds.map(({ rows }) => rows)),
    work: sum('work') / (rounds.length * TURNS),
  }
}

function show(speed: number, plain: readonly Frames[], long: readonly Frames[]): void {
  const [few, many] = [figures(plain), figures(long)]
  const row = (name: string, key: keyof typeof few, unit: string) => [
    name,
    `${few[key].toFixed(1)}${unit}`,
    `${many[key].toFixed(1)}${unit}`,
    few[key] > 0 ? (many[key] / few[key]).toFixed(2) : '–',
  ]
  console.log(
    `${table(
      [`${speed} px a turn`, '100 plain rows', '10,000 loaded rows', 'ratio'],
      [
        row('frame, p50', 'p50', ' ms'),
        row('frame, p95', 'p95', ' ms'),
        row('longest frame', 'most', ' ms'),
        row('dropped frames', 'dropped', ' %'),
        row('long tasks', 'tasks', ''),
        row('main thread, a turn', 'work', ' ms'),
        row('rows in the document, at most', 'rows', ''),
      ],
    )}\n`,
  )
}

await withDemoConsole(async ({ place, context, page: plain }) => {
  await place.query(
    `insert into public.devices (company_id, name, os, version)
     select d.company_id, 'BENCH-' || n, d.os, d.version
     from (select d.* from public.devices d join public.companies c on c.id = d.company_id
           where d.company_id = (select r.company_id from public.user_roles r
             join public.profiles p on p.id = r.user_id where p.email = $1) limit 1) d
       cross join generate_series(1, $2::int) n`,
    [EMAIL, DEVICES],
  )
  await plain.goto(`${place.url}/login`)
  await signIn(plain)
  await plain.locator('aside nav').waitFor()
  await plain.goto(`${place.url}/devices?pageSize=100&sort=name`)
  await plain.locator('tr[data-row]').nth(99).waitFor()

  const long = await context.newPage()
  await long.goto(`${place.url}/devices?pageSize=scroll&sort=name`)
  await long.locator('.k-table-box[data-long="true"]').waitFor()
  const started = performance.now()
  const end = long.getByText(`${LOADED.toLocaleString('en')} rows are loaded`)
  while (!(await end.isVisible())) {
    await long.locator('.k-table-box').evaluate((element) => void element.scrollTo(0, element.scrollHeight))
    await long.waitForTimeout(50)
  }
  const loading = performance.now() - started
  await long.locator('.k-table-box').evaluate((element) => void element.scrollTo(0, 0))
  await long.waitForTimeout(1500)

  const few = await watched(plain)
  const many = await watched(long)
  const profile = process.env.BENCH_PROFILE
  if (profile) await many.send('Profiler.enable')
  for (const speed of SPEEDS) {
    const found = { plain: [] as Frames[], long: [] as Frames[] }
    if (profile) await many.send('Profiler.start')
    for (let round = 0; round < ROUNDS; round++) {
      found.plain.push(await scrollThrough(plain, few, speed, true))
      found.long.push(await scrollThrough(long, many, speed, false))
    }
    if (profile) {
      const kept = await many.send('Profiler.stop')
      writeFileSync(`${profile}-${speed}.cpuprofile`, JSON.stringify(kept.profile))
    }
    show(speed, found.plain, found.long)
  }
  console.log(`10,000 rows were loaded in ${(loading / 1000).toFixed(1)} s.`)
})
