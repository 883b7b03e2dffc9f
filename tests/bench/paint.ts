/**
 * From the press on a menu entry to the list on the screen: `npm run bench:paint`. The pointer rests on the
 * entry first, as a person's does; what it prefetches meanwhile is what is measured. `BENCH_BEFORE` names another build
 * (a folder like `dist`), which is measured in turn with this one. Prints, never fails.
 */
import type { CDPSession, Page, Request } from '@playwright/test'
import { setting } from './setting'
import { showTimes, table, times } from './statistics'
import { signIn, withDemoConsoles } from './support/demo-console'

const ROUNDS = setting('BENCH_ROUNDS', 8, 1)
/** How long a pointer rests on what it is about to press. */
const REST_MS = 300
/** At most this from the press until the frame of the list stands painted; its rows were read ahead. */
const BUDGET_MS = 100
/** The table whose rows are the list's main content, by the menu's path. */
const LISTS: Readonly<Record<string, string>> = {
  '/monitors': 'monitors',
  '/procedures': 'procedures',
  '/software-inventory': 'device_software',
  '/software-licenses': 'software_licenses',
  '/patch-management': 'device_patches',
  '/tickets': 'tickets',
  '/devices': 'devices',
}

interface Painted {
  /** Milliseconds from the press until the browser had painted the skeleton or the rows, whichever came first. */
  first: number
  rows: number
}

/** In the page: times the next press until what it opens has been painted. */
function watchPress(page: Page, path: string) {
  return page.evaluate((to) => {
    const state = window as unknown as { painted?: Promise<Painted> }
    state.painted = new Promise((resolve) => {
      const onPress = (event: Event) => {
        const pressed = event.timeStamp
        const before = document.querySelector('main table')
        let first = 0
        const look = () => {
          const isThere = window.location.pathname === to
          const now = document.querySelector('main table')
          const hasRows = now !== null && now !== before && now.querySelector('tbody tr') !== null
          const isBlank = document.querySelector('main .k-skeleton') !== null
          // It is painted one frame after the one in which it is in the document.
          requestAnimationFrame(() => {
            const passed = performance.now() - pressed
            if (isThere && first === 0 && (hasRows || isBlank)) first = passed
            if ((isThere && hasRows) || passed > 5000) resolve({ first, rows: passed })
            else look()
          })
        }
        requestAnimationFrame(look)
      }
      window.addEventListener('click', onPress, { capture: true, once: true })
    })
  }, path)
}

interface Samples {
  first: number[]
  rows: number[]
  /** The main thread's work for it, in milliseconds: other programs on the machine hardly change it. */
  work: number[]
  asked: number[]
}

/** How long the page's main thread has worked so far, in milliseconds. */
async function workOf(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
}

/** Presses the menu entry of a list and adds the times to `samples`. */
async function measure(page: Page, session: CDPSession, path: string, samples: Samples): Promise<void> {
  const link = page.locator(`aside nav a[href="${path}"]`)
  if ((await link.count()) === 0) return
  await page.bringToFront()
  let asked = 0
  const onRequest = (request: Request) => {
    const isCount = (request.headers().prefer ?? '').includes('count=')
    const isOfRows = new URL(request.url()).pathname === `/rest/v1/${LISTS[path]}`
    if (request.method() === 'GET' && isOfRows && !isCount) asked += 1
  }
  page.on('request', onRequest)
  await watchPress(page, path)
  await link.hover()
  await page.waitForTimeout(REST_MS)
  const before = await workOf(session)
  await link.click()
  const painted = await page.evaluate(() => (window as unknown as { painted: Promise<Painted> }).painted)
  await page.waitForTimeout(500)
  page.off('request', onRequest)
  samples.work.push((await workOf(session)) - before)
  samples.first.push(painted.first)
  samples.rows.push(painted.rows)
  samples.asked.push(asked)
}

type Key = 'first' | 'rows' | 'work'

interface Measured {
  name: string
  found: Map<string, Samples>
}

function print({ name, found }: Measured): void {
  const rows = [...found].filter(([, samples]) => samples.rows.length > 0)
  console.log(
    `\n${name}: milliseconds from the press, least / p50 / p95 of ${ROUNDS}, the first visit included.\n`,
  )
  console.log(
    table(
      ['list', 'first visit', 'something painted', 'rows painted', 'requests for the rows'],
      rows.map(([path, { first, rows: full, asked }]) => [
        path,
        (full[0] ?? Number.NaN).toFixed(0),
        showTimes(times(first)),
        showTimes(times(full)),
        `${Math.max(...asked)} at most`,
      ]),
    ),
  )
  const first = times(all({ found }, 'first'))
  const full = times(all({ found }, 'rows'))
  console.log(
    `\nThe list's frame or its rows: p50 ${first.p50.toFixed(0)} ms, p95 ${first.p95.toFixed(0)} ms of ${BUDGET_MS}: ` +
      `${first.p95 <= BUDGET_MS ? 'kept' : 'OVER'}. The rows: p50 ${full.p50.toFixed(0)}, p95 ${full.p95.toFixed(0)}.`,
  )
}

const all = ({ found }: Pick<Measured, 'found'>, key: Key) =>
  [...found.values()].flatMap((samples) => samples[key])

/** Another process makes times longer, never shorter: on a busy machine the least times are the ones to compare. */
function compare(now: Measured, before: Measured): void {
  const p50 = (build: Measured, key: Key) => times(all(build, key)).p50
  const least = ({ found }: Measured, key: Key) => {
    const each = [...found.values()].flatMap((samples) =>
      samples[key].length > 0 ? times(samples[key]).least : [],
    )
    return each.reduce((sum, time) => sum + time, 0) / each.length
  }
  const row = (title: string, of: typeof p50, key: Key) => {
    const [a, b] = [of(now, key), of(before, key)]
    return [title, a.toFixed(1), b.toFixed(1), (a / b).toFixed(3)]
  }
  console.log('\nBoth builds in turn, all lists, milliseconds\n')
  console.log(
    table(
      ['', now.name, before.name, 'ratio'],
      [
        row('something painted, p50', p50, 'first'),
        row('something painted, mean of the least', least, 'first'),
        row('rows painted, p50', p50, 'rows'),
        row('rows painted, mean of the least', least, 'rows'),
        row("the main thread's work, p50", p50, 'work'),
        row("the main thread's work, mean of the least", least, 'work'),
      ],
    ),
  )
}

await withDemoConsoles(async (consoles) => {
  const measured = consoles.map(({ name }) => ({
    name,
    found: new Map(
      Object.keys(LISTS).map((path) => [path, { first: [], rows: [], work: [], asked: [] } as Samples]),
    ),
  }))
  const sessions: CDPSession[] = []
  for (const { place, page, context } of consoles) {
    const session = await context.newCDPSession(page)
    await session.send('Performance.enable')
    sessions.push(session)
    await page.goto(`${place.url}/login`)
    await signIn(page)
    await page.locator('aside nav').waitFor()
    await page.waitForTimeout(2000)
  }
  // In turn, list by list: what disturbs the machine disturbs both.
  for (let round = 0; round < ROUNDS; round++)
    for (const path of Object.keys(LISTS))
      for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const samples = measured[index]?.found.get(path)
        const page = consoles[index]?.page
        const session = sessions[index]
        if (samples && page && session) await measure(page, session, path, samples)
      }
  for (const each of measured) print(each)
  const [now, before] = measured
  if (now && before) compare(now, before)
})
