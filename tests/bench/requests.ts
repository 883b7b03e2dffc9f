/**
 * The requests to the backend that each step of a session makes: `npm run bench:requests`. `BENCH_BEFORE` names another
 * build (a folder like `dist`) whose requests are counted beside this one's. Prints, never fails.
 */
import type { Page, Request } from '@playwright/test'
import { setting } from './setting'
import { table } from './statistics'
import { signIn, withDemoConsoles } from './support/demo-console'

/** Repeated after the first round; the least counts, since the clock may bring a refresh between two steps. */
const ROUNDS = setting('BENCH_ROUNDS', 3, 0)
/** A step is over when nothing was asked for this long. */
const QUIET_MS = 1200

type Step = readonly [title: string, take: (page: Page, url: string) => Promise<unknown>]

const main = (page: Page) => page.getByRole('main')
const rows = (page: Page) => main(page).locator('table tbody tr').first().waitFor()

const START: Step = [
  'sign in, dashboard',
  async (page, url) => {
    await page.goto(`${url}/login`)
    await signIn(page)
    await page.locator('aside nav').waitFor()
  },
]
const REOPEN: Step = ['open the dashboard again', (page, url) => page.goto(url)]

const STEPS: readonly Step[] = [
  [
    'list from the menu',
    async (page) => {
      await page.locator('aside nav a[href="/devices"]').click()
      await rows(page)
    },
  ],
  ['sort', (page) => main(page).locator('th button.k-sort').first().click()],
  ['search', (page) => main(page).getByRole('searchbox').first().fill('a')],
  ['clear the search', (page) => main(page).getByRole('searchbox').first().fill('')],
  ['page size', (page) => main(page).locator('.k-pager select').selectOption('10')],
  ['next page', (page) => main(page).getByRole('button', { name: 'Next page' }).click()],
  ['back', (page) => page.goBack()],
  [
    'open a record',
    async (page) => {
      await main(page).locator('tbody tr a[href^="/devices/"]').first().click()
      await page.waitForURL(/\/devices\/[0-9a-f-]{36}/)
    },
  ],
  [
    'open its form',
    async (page) => {
      await main(page).getByRole('button', { name: 'Edit', exact: true }).click()
      await page.waitForURL(/\/edit/)
    },
  ],
  [
    'save',
    async (page) => {
      await main(page).getByRole('textbox', { name: /Name$/ }).press('End')
      await page.keyboard.type('x')
      await main(page).getByRole('button', { name: 'Save', exact: true }).click()
      await page.waitForURL((url) => !url.pathname.endsWith('/edit'))
    },
  ],
  ['back to the list', (page) => page.locator('aside nav a[href="/devices"]').click()],
]

const isCounted = (request: Request) =>
  request.method() !== 'OPTIONS' && /^\/(rest|auth)\/v1\//.test(new URL(request.url()).pathname)

const nameOf = (request: Request) =>
  `${request.method()} ${new URL(request.url()).pathname.replace(/^\/rest\/v1\//, '')}`

/** Takes a step and gives its requests, once the page is quiet. */
async function requestsOf(page: Page, url: string, [, take]: Step): Promise<string[]> {
  const names: string[] = []
  let latest = Date.now()
  const onRequest = (request: Request) => {
    latest = Date.now()
    if (isCounted(request)) names.push(nameOf(request))
  }
  page.on('request', onRequest)
  await take(page, url)
  // The page answers a press after it: a press that itself took long would end the step before its first request.
  latest = Date.now()
  // A pointer that stays on a row would read that row's record for the next step.
  await page.mouse.move(1, 1)
  while (Date.now() - latest < QUIET_MS) await page.waitForTimeout(100)
  page.off('request', onRequest)
  return names
}

interface Counted {
  name: string
  /** The requests of each round, by step. */
  steps: Map<string, string[][]>
}

const fewest = (rounds: readonly string[][]) => rounds.toSorted((a, b) => a.length - b.length)[0] ?? []

/** The entries of `names` beyond those of `others`, each as often as it comes. */
function beyond(names: readonly string[], others: readonly string[]): string[] {
  const left = [...others]
  return names.filter((name) => {
    const at = left.indexOf(name)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

function print(builds: readonly Counted[]): void {
  const [now, before] = builds
  if (!now) return
  const parts = [
    ['First time', ([first]: string[][]) => first ?? []],
    ['Again, the fewest', ([, ...again]: string[][]) => fewest(again)],
  ] as const
  for (const [title, choose] of parts) {
    const lines = [...now.steps]
      .filter(
        ([, rounds]) => choose(rounds) !== undefined && (title === 'First time' ? rounds[0] : rounds[1]),
      )
      .map(([step, rounds]) => {
        const own = choose(rounds)
        const old = choose(before?.steps.get(step) ?? [])
        const difference = before
          ? [...beyond(own, old).map((name) => `+ ${name}`), ...beyond(old, own).map((name) => `− ${name}`)]
          : own
        return [step, String(own.length), ...(before ? [String(old.length)] : []), difference.join(', ')]
      })
    const total = (at: number) => String(lines.reduce((sum, line) => sum + Number(line[at]), 0))
    console.log(`\n${title}\n`)
    console.log(
      table(
        ['step', now.name, ...(before ? [before.name] : []), before ? 'difference' : 'requests'],
        [...lines, ['total', total(1), ...(before ? [total(2)] : []), '']],
      ),
    )
  }
}

await withDemoConsoles(async (consoles) => {
  const builds: Counted[] = []
  for (const { name, place, page } of consoles) {
    const steps = new Map<string, string[][]>()
    await page.bringToFront()
    for (let round = 0; round <= ROUNDS; round++)
      for (const step of [round === 0 ? START : REOPEN, ...STEPS]) {
        const names = await requestsOf(page, place.url, step)
        const known = steps.get(step[0]) ?? []
        known[round] = names
        steps.set(step[0], known)
      }
    builds.push({ name, steps })
  }
  print(builds)
})
