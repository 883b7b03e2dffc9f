import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig, devices } from '@playwright/test'
import { findChromium } from './scripts/chromium'

const port = Number(process.env.E2E_PORT ?? 3199)
// A console that runs already, for working on one test; the suite starts its own.
const running = process.env.E2E_URL
const url = running ?? `http://127.0.0.1:${port}`
// Playwright loads this file again in each worker: only the first makes the directory.
process.env.E2E_DATA_DIR ??= mkdtempSync(join(tmpdir(), 'konsol-e2e-'))
const executablePath = findChromium()

export default defineConfig({
  testDir: 'tests/e2e',
  outputDir: 'test-results',
  // One server, one Postgres in WASM and one browser share CI's two cores.
  workers: 1,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: {
    ...devices['Desktop Chrome'],
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'Europe/Istanbul',
    baseURL: url,
    trace: 'off',
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    },
  },
  webServer: running
    ? []
    : {
        command: 'node_modules/.bin/tsx scripts/start.ts',
        url: `${url}/healthz`,
        timeout: 180_000,
        reuseExistingServer: false,
        gracefulShutdown: { signal: 'SIGTERM', timeout: 10_000 },
        env: {
          PORT: String(port),
          HOST: '127.0.0.1',
          DATA_DIR: join(process.env.E2E_DATA_DIR, 'data'),
          RATE_LIMIT_FACTOR: '100',
        },
      },
})
