/**
 * What the console weighs over the wire, as a browser receives it: `npm run bench:weight`.
 * `BENCH_BEFORE` names another build (a folder like `dist`) whose first paint is measured beside this one's.
 * A budget that is not kept is printed as such; nothing here fails, because a figure is for people to judge.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, CDPSession, Page } from '@playwright/test'
import { startServerProcess } from '../support/server-process'
import { printFirstPaint } from './first-paint'
import { table } from './statistics'
import { signIn, withDemoConsole } from './support/demo-console'

const BUDGETS = { signIn: 260_000, firstList: 450_000 }

interface File {
  url: string
  type: string
  /** Bytes over the wire: headers and compressed body. */
  bytes: number
  /** The compressed body alone. */
  body: number
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
  })
  return files
}

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

async function comparedPaint(browser: Browser, url: string): Promise<void> {
  const dist = process.env.BENCH_BEFORE
  if (!dist) return printFirstPaint(browser, { 'this build': url })
  const directory = mkdtempSync(join(tmpdir(), 'konsol-bench-'))
  const before = await startServerProcess({ dataDir: join(directory, 'data'), dist })
  try {
    await printFirstPaint(browser, { 'this build': url, before: before.url })
  } finally {
    await before.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

await withDemoConsole(async ({ place, context, page }) => {
  const session = await context.newCDPSession(page)
  await session.send('Network.enable', { maxTotalBufferSize: 200_000_000 })
  const files = watch(session)

  await page.goto(`${place.url}/login`)
  await page.locator('input[type="password"]').waitFor()
  await settled(page, files)
  const first = [...files]
  await signIn(page)
  await page.locator('main').waitFor()
  await settled(page, files)
  const dashboard = files.slice(first.length)
  await page.locator('nav a[href="/devices"], aside a[href="/devices"]').first().click()
  await page.locator('main table tbody tr').first().waitFor()
  await settled(page, files)
  const list = files.slice(first.length + dashboard.length)

  const scripts = files.filter(({ type }) => type === 'Script')
  const charts = scripts.filter(({ chart }) => chart)
  show('Sign-in page', first)
  show(
    'Then, up to the dashboard',
    dashboard.filter(({ type }) => type !== 'Fetch' && type !== 'XHR'),
  )
  show(
    'Then, up to the list of devices',
    list.filter(({ type }) => type !== 'Fetch' && type !== 'XHR'),
  )
  console.log(`\nSign-in page in all: ${verdict(wire(first), BUDGETS.signIn)}`)
  console.log(
    `JavaScript up to the first list, charts apart: ${verdict(bodies(scripts) - bodies(charts), BUDGETS.firstList)}`,
  )
  console.log(
    `  in ${scripts.length - charts.length} files, headers ${kilobytes(wire(scripts) - bodies(scripts))} on top`,
  )
  console.log(`Charts: ${kilobytes(bodies(charts))} in ${charts.length} files`)
  const browser = context.browser()
  if (browser) await comparedPaint(browser, place.url)
})
