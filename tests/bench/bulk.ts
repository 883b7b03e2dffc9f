/**
 * "All that match" over 50,000 rows of one company, in Chromium: `npm run bench:bulk` after `npm run build`. How long
 * it takes to find them, how far it goes a step, how soon Stop is obeyed, and the whole; what the dialog says is
 * compared with what the database holds. On PGlite, and on PostgreSQL where there is one; prints, fails on a difference.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import { findChromium } from '../../scripts/chromium'
import { createAccount, createCompany } from '../support/accounts'
import { startPostgres, whyNoPostgres } from '../support/postgres'
import { type ServerProcess, startServerProcess } from '../support/server-process'
import { setting } from './setting'
import { table } from './statistics'

const ROWS = setting('BENCH_ROWS', 50_000, 8000)
const PASSWORD = 'Bench-Console-2026'
const PATIENCE = { timeout: 360_000 }

const figure = (text: string | null | undefined, pattern: RegExp): number =>
  Number((pattern.exec(text ?? '')?.[1] ?? '0').replaceAll(',', ''))
const seconds = (from: number) => (performance.now() - from) / 1000

async function load(place: ServerProcess): Promise<string> {
  const sql = place.query as Parameters<typeof createCompany>[0]['sql']
  const company = await createCompany({ sql })
  await place.query(
    `with quiet as (select set_config('app.quiet', 'on', true))
     insert into public.software_licenses (company_id, name, seats)
     select $1::uuid, 'License ' || n, 1 + n % 50 from quiet, generate_series(1, $2::integer) n`,
    [company, ROWS],
  )
  await place.query('analyze public.software_licenses')
  return (await createAccount({ sql }, 'Admin', company, PASSWORD)).email
}

async function changedRows(place: ServerProcess): Promise<number> {
  const [row] = await place.query(
    `select count(*)::integer as n from public.software_licenses where publisher = 'Contoso'`,
  )
  return Number(row?.n)
}

async function openList(page: Page, url: string, email: string): Promise<void> {
  await page.addInitScript(() => localStorage.setItem('i18nextLng', 'en'))
  await page.goto(`${url}/login`)
  await page.locator('input[type="email"]').fill(email)
  await page.locator('input[type="password"]').fill(PASSWORD)
  await page.locator('button[type="submit"]').click()
  await page.locator('aside nav').waitFor()
  await page.goto(`${url}/software-licenses?pageSize=10`)
  await page.locator('main tbody tr').first().waitFor()
}

interface Step {
  at: number
  done: number
}

/** The lines that the progress shows, each time it shows another one. */
async function watchProgress(page: Page): Promise<() => Promise<Step[]>> {
  await page.evaluate(() => {
    const steps: { at: number; done: number }[] = []
    Object.assign(window, { steps })
    new MutationObserver(() => {
      const said = /([\d,]+) of [\d,]+ done/.exec(document.querySelector('[role=dialog]')?.textContent ?? '')
      const done = Number((said?.[1] ?? '-1').replaceAll(',', ''))
      if (done >= 0 && done !== steps.at(-1)?.done) steps.push({ at: performance.now(), done })
    }).observe(document.body, { subtree: true, childList: true, characterData: true })
  })
  return () => page.evaluate(() => Reflect.get(window, 'steps') as Step[])
}

async function measure(name: string, place: ServerProcess, page: Page): Promise<string[]> {
  await openList(page, place.url, await load(place))
  const dialog = page.getByRole('dialog')
  await page.getByRole('checkbox', { name: 'Select all rows of this page' }).check()
  await page.getByRole('button', { name: /^Select all [\d,]+ that match/ }).click()
  let from = performance.now()
  await page.getByRole('button', { name: 'Edit…' }).click()
  await dialog.getByRole('combobox', { name: 'What to change' }).waitFor(PATIENCE)
  const found = seconds(from)
  await dialog.getByRole('combobox', { name: 'What to change' }).click()
  await page.locator('.ant-select-item-option').filter({ hasText: 'Publisher' }).click()
  await page.keyboard.press('Escape')
  await dialog.getByRole('textbox', { name: 'Publisher' }).fill('Contoso')
  const steps = await watchProgress(page)
  from = performance.now()
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForFunction(
    (some) => (Reflect.get(window, 'steps') as { done: number }[]).some(({ done }) => done >= some),
    ROWS / 8,
    PATIENCE,
  )
  const pressed = performance.now()
  await dialog.getByRole('button', { name: 'Stop', exact: true }).click()
  await dialog.getByText('stopped early').waitFor(PATIENCE)
  const stopped = seconds(pressed)
  const running = seconds(from)
  const said = await dialog.textContent()
  const first = figure(said, /([\d,]+) changed/)
  const left = figure(said, /([\d,]+) not processed/)
  const held = await changedRows(place)
  from = performance.now()
  await dialog.getByRole('button', { name: /^Continue with/ }).click()
  await dialog.getByText(/ updated$/).waitFor(PATIENCE)
  const whole = running + seconds(from)
  // The title alone says it where every row was changed.
  const last = figure(await dialog.textContent(), /([\d,]+) .* updated/)
  const heldAtEnd = await changedRows(place)
  const isTrue = first === held && first + left === ROWS && last === ROWS && heldAtEnd === ROWS
  if (!isTrue) process.exitCode = 1
  const seen = await steps()
  const gaps = seen.slice(1).map(({ at }, index) => (at - (seen[index]?.at ?? at)) / 1000)
  return [
    name,
    found.toFixed(1),
    `${seen.length}, at most ${Math.max(...gaps.slice(0, -1)).toFixed(1)} s apart`,
    `${stopped.toFixed(2)} s`,
    `${first} changed, ${left} not processed; held ${held}`,
    `${last} changed; held ${heldAtEnd}`,
    whole.toFixed(1),
    isTrue ? 'equal' : 'DIFFERENT',
  ]
}

const dist = resolve(process.env.BENCH_DIST ?? 'dist')
if (!existsSync(join(dist, 'index.html'))) {
  console.error('There is no built console. Run `npm run build` first.')
  process.exit(2)
}
const executablePath = findChromium()
const browser = await chromium.launch({
  ...(executablePath ? { executablePath } : {}),
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
const directory = mkdtempSync(join(tmpdir(), 'bench-bulk-'))
const rows: string[][] = []
try {
  const why = whyNoPostgres()
  if (why) console.warn(`Not measured on PostgreSQL: ${why}.`)
  for (const name of why ? ['PGlite'] : ['PGlite', 'PostgreSQL']) {
    const cluster = name === 'PostgreSQL' ? await startPostgres() : undefined
    const databaseUrl = cluster ? { databaseUrl: cluster.url } : {}
    const place = await startServerProcess({ dataDir: join(directory, name), dist, ...databaseUrl })
    const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 } })
    try {
      rows.push(await measure(name, place, await context.newPage()))
      console.log(rows.at(-1)?.join(' | '))
    } finally {
      await context.close()
      await place.stop()
      await cluster?.stop()
    }
  }
} finally {
  await browser.close()
  rmSync(directory, { recursive: true, force: true })
}
console.log(`\n${ROWS} rows, edited in Chromium; seconds.\n`)
console.log(
  table(
    ['database', 'found', 'progress', 'stopped after', 'stop said', 'end said', 'written', 'says what is'],
    rows,
  ),
)
