import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from '@playwright/test'
import { findChromium } from '../../../scripts/chromium'
import { type ServerProcess, startServerProcess } from '../../support/server-process'

export const EMAIL = 'admin@acme.test'
const PASSWORD = 'Demo-Console-2026'

export interface DemoConsole {
  /** Which build it is, for the head of a column. */
  name: string
  place: ServerProcess
  context: BrowserContext
  page: Page
}

/** The builds to measure, by name: `BENCH_DIST` or `dist`, and `BENCH_BEFORE` if it is set. */
function builds(): [string, string][] {
  const { BENCH_DIST = 'dist', BENCH_BEFORE } = process.env
  return [['this build', BENCH_DIST], ...(BENCH_BEFORE ? [['before', BENCH_BEFORE] as [string, string]] : [])]
}

async function openConsoles(
  found: readonly [string, string][],
  measure: (consoles: DemoConsole[]) => Promise<void>,
): Promise<void> {
  if (found.some(([, dist]) => !existsSync(join(dist, 'index.html')))) {
    console.error('There is no built console. Run `npm run build` first.')
    process.exit(2)
  }
  const directory = mkdtempSync(join(tmpdir(), 'konsol-bench-'))
  const executablePath = findChromium()
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  const places: ServerProcess[] = []
  try {
    const consoles: DemoConsole[] = []
    for (const [index, [name, dist]] of found.entries()) {
      const dataDir = join(directory, String(index))
      // The browser tests have loaded the demo data once.
      if (process.env.E2E_DEMO_DATA) cpSync(process.env.E2E_DEMO_DATA, dataDir, { recursive: true })
      const place = await startServerProcess({ dataDir, demo: true, dist })
      places.push(place)
      const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 } })
      // The runner of the script wraps named functions in a helper that a page does not have.
      await context.addInitScript('globalThis.__name = (made) => made')
      consoles.push({ name, place, context, page: await context.newPage() })
    }
    await measure(consoles)
  } finally {
    await browser.close()
    await Promise.all(places.map((place) => place.stop()))
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * Serves the built console over a demo database of its own, opened in Chromium at a desktop's size; both are gone
 * afterwards. With `BENCH_BEFORE` a second one for the build to compare with. Exits with 2 if a build is missing.
 */
export const withDemoConsoles = (measure: (consoles: DemoConsole[]) => Promise<void>) =>
  openConsoles(builds(), measure)

/** As `withDemoConsoles`, for this build only. */
export const withDemoConsole = (measure: (demo: DemoConsole) => Promise<void>) =>
  openConsoles(builds().slice(0, 1), async ([only]) => only && measure(only))

/** On the sign-in page; what comes next is the caller's to wait for. */
export async function signIn(page: Page): Promise<void> {
  await page.locator('input[type="email"]').fill(EMAIL)
  await page.locator('input[type="password"]').fill(PASSWORD)
  await page.locator('button[type="submit"]').click()
}
