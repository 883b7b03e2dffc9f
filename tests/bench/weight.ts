/**
 * Weighs the console over the wire, as a browser receives it: `npm run bench:weight`.
 * `BENCH_BEFORE` names another build (a folder like `dist`) that is measured beside this one.
 * A budget that is not kept is printed as such; nothing here fails, because a figure is for people to judge.
 */

import { gzipSync } from 'node:zlib'
import type { CDPSession, Page } from '@playwright/test'
import { FIRST_LIST_GZIP } from '../support/budgets'
import { printFirstPaint } from './first-paint'
import { table } from './statistics'
import { type DemoConsole, signIn, withDemoConsoles } from './support/demo-console'

const BUDGETS = {
  signIn: 260_000,
  firstList: 450_000,
  signInGzip: 184_000,
  directGzip: FIRST_LIST_GZIP,
}

interface File {
  url: string
  type: string
  /** Bytes over the wire: headers and compressed body. */
  bytes: number
  /** The compressed body alone. */
  body: number
  /** A script's body with gzip, whatever the server chose. */
  gzip: number
  chart: boolean
}

/** A word that only the charting library's bundle has; what chunks are called is the bundler's own business. */
const CHART = /elementHighlight/

function watch(session: CDPSession): File[] {
  const files: File[] = []
  const open = new Map<string, File>()
  session.on('Network.responseReceived', ({ requestId, response, type }) => {
    open.set(requestId, {
      url: response.url,
      type,
      bytes: 0,
      body: -response.encodedDataLength,
      gzip: 0,
      chart: false,
    })
  })
  session.on('Network.loadingFinished', async ({ requestId, encodedDataLength }) => {
    const file = open.get(requestId)
    if (!file) return
    file.bytes = encodedDataLength
    file.body += encodedDataLength
    files.push(file)
    if (file.type !== 'Script') return
    const body = await session.send('Network.getResponseBody', { requestId }).catch(() => undefined)
    file.chart = CHART.test(body?.body ?? '')
    file.gzip = gzipSync(body?.body ?? '').length
  })
  return files
}

/** Notes what the page loads; `part` gives what came since it was last called. */
async function record(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable', { maxTotalBufferSize: 200_000_000 })
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  const files = watch(session)
  let from = 0
  const part = () => {
    const found = files.slice(from)
    from = files.length
    return found
  }
  return { files, part }
}

const rowsOf = (page: Page) => page.locator('main table tbody tr').first().waitFor()

async function settled(page: Page, files: File[]): Promise<void> {
  let before = -1
  while (before !== files.length) {
    before = files.length
    // A live connection stays open, so the network never idles: no new file for a second is what settled means.
    await page.waitForTimeout(1000)
  }
}

const wire = (files: File[]) => files.reduce((total, { bytes }) => total + bytes, 0)
const bodies = (files: File[]) => files.reduce((total, { body }) => total + body, 0)
const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`
const name = ({ url }: File) => new URL(url).pathname.split('/').pop() || '/'

function show(title: string, files: File[]): void {
  const largest = [...files].sort((a, b) => b.bytes - a.bytes)
  console.log(`\n${title}`)
  console.log(
    table(
      ['file', 'kind', 'over the wire'],
      largest.map((file) => [name(file), file.chart ? 'Chart' : file.type, kilobytes(file.bytes)]),
    ),
  )
}

const verdict = (bytes: number, budget: number) =>
  `${kilobytes(bytes)} of ${kilobytes(budget)}: ${bytes <= budget ? 'kept' : 'OVER'}`

/** The sum of the scripts as a server sends them with gzip, charts apart. */
const gzipped = (files: File[]) =>
  files.filter(({ type, chart }) => type === 'Script' && !chart).reduce((total, { gzip }) => total + gzip, 0)

interface Weight {
  signIn: File[]
  dashboard: File[]
  list: File[]
  /** `/devices` opened by its address, with an empty cache. */
  direct: File[]
}

async function weigh({ place, context, page }: DemoConsole): Promise<Weight> {
  const { files, part } = await record(page)
  await page.goto(`${place.url}/login`)
  await page.locator('input[type="password"]').waitFor()
  await settled(page, files)
  const signInPage = part()
  await signIn(page)
  await page.locator('main').waitFor()
  await settled(page, files)
  const dashboard = part()
  await page.locator('nav a[href="/devices"], aside a[href="/devices"]').first().click()
  await rowsOf(page)
  await settled(page, files)
  const list = part()

  const other = await context.newPage()
  const opened = await record(other)
  await other.goto(`${place.url}/devices`)
  await rowsOf(other)
  await settled(other, opened.files)
  await other.close()
  return { signIn: signInPage, dashboard, list, direct: opened.part() }
}

function report(name: string, { signIn: signInPage, dashboard, list, direct }: Weight): void {
  const isPart = ({ type }: File) => type !== 'Fetch' && type !== 'XHR'
  show(`${name}: sign-in page`, signInPage)
  show('Then, up to the dashboard', dashboard.filter(isPart))
  show('Then, up to the list of devices', list.filter(isPart))
  show('/devices opened by its address', direct.filter(isPart))
  const scripts = [...signInPage, ...dashboard, ...list].filter(({ type }) => type === 'Script')
  const charts = scripts.filter(({ chart }) => chart)
  console.log(`\nSign-in page in all: ${verdict(wire(signInPage), BUDGETS.signIn)}`)
  console.log(
    `JavaScript up to the first list, charts apart: ${verdict(bodies(scripts) - bodies(charts), BUDGETS.firstList)}`,
  )
  console.log(
    `  in ${scripts.length - charts.length} files, headers ${kilobytes(wire(scripts) - bodies(scripts))} on top`,
  )
  console.log(`Charts: ${kilobytes(bodies(charts))} in ${charts.length} files`)
}

await withDemoConsoles(async (consoles) => {
  const weights: { name: string; weight: Weight }[] = []
  for (const each of consoles) weights.push({ name: each.name, weight: await weigh(each) })
  for (const { name, weight } of weights) report(name, weight)
  const line = (title: string, of: (weight: Weight) => File[], budget: number) => [
    title,
    ...weights.map(({ weight }) => kilobytes(gzipped(of(weight)))),
    kilobytes(budget),
  ]
  console.log('\nJavaScript with gzip, charts apart\n')
  console.log(
    table(
      ['', ...weights.map(({ name }) => name), 'budget'],
      [
        line('sign-in page', ({ signIn }) => signIn, BUDGETS.signInGzip),
        line('/devices opened by its address, until it is quiet', ({ direct }) => direct, BUDGETS.directGzip),
      ],
    ),
  )
  const browser = consoles[0]?.context.browser()
  if (browser)
    await printFirstPaint(browser, Object.fromEntries(consoles.map(({ name, place }) => [name, place.url])))
})
