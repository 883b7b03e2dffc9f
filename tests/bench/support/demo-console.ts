import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from '@playwright/test'
import { findChromium } from '../../../scripts/chromium'
import { type ServerProcess, startServerProcess } from '../../support/server-process'

export const EMAIL = 'admin@acme.test'
const PASSWORD = 'Demo-Console-2026'

interface DemoConsole {
  place: ServerProcess
  context: BrowserContext
  page: Page
}

/**
 * Hands out the built console (BENCH_DIST, or `dist`) over a demo database of its own, open in Chromium as somebody
 * has it on a desk; both are gone afterwards. Ends the process with 2 where nothing is built.
 */
export async function withDemoConsole(measure: (demo: DemoConsole) => Promise<void>): Promise<void> {
  const dist = process.env.BENCH_DIST ?? 'dist'
  if (!existsSync(join(dist, 'index.html'))) {
    console.error('There is no built console. Run `npm run build` first.')
    process.exit(2)
  }
  const directory = mkdtempSync(join(tmpdir(), 'konsol-bench-'))
  const place = await startServerProcess({ dataDir: join(directory, 'data'), demo: true, dist })
  const executablePath = findChromium()
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 } })
    // What runs the script wraps named functions in a helper that a page does not have.
    await context.addInitScript('globalThis.__name = (made) => made')
    await measure({ place, context, page: await context.newPage() })
  } finally {
    await browser.close()
    await place.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

/** On the sign-in page; what comes next is the caller's to wait for. */
export async function signIn(page: Page): Promise<void> {
  await page.locator('input[type="email"]').fill(EMAIL)
  await page.locator('input[type="password"]').fill(PASSWORD)
  await page.locator('button[type="submit"]').click()
}
