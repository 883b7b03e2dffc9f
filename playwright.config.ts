import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig, devices } from '@playwright/test'
import { findChromium } from './scripts/chromium'
import { patience } from './tests/support/patience'

// One console a worker, with demo data of its own: what one test file writes, another never sees while it runs.
const ports = (process.env.E2E_PORTS ?? '3199,3198').split(',').map(Number)
// A console that runs already, for working on one test; the suite starts its own.
const running = process.env.E2E_URL
const urls = running ? [running] : ports.map((port) => `http://127.0.0.1:${port}`)
// Playwright loads this file again in each worker: only the first makes the directory.
process.env.E2E_DATA_DIR ??= mkdtempSync(join(tmpdir(), 'konsol-e2e-'))
const data = process.env.E2E_DATA_DIR
process.env.E2E_URLS = urls.join(',')
const executablePath = findChromium()
// They start servers and wait for them: begun last, they would leave the other workers without tests.
const OWN_SERVERS =
  /(added-resource|benches|desk-story|starting|power-\w+|resilience|resource-life)\.spec\.ts$/

export default defineConfig({
  testDir: 'tests/e2e',
  projects: [
    { name: 'own server', testMatch: OWN_SERVERS },
    { name: 'console', testIgnore: OWN_SERVERS },
  ],
  outputDir: 'test-results',
  workers: urls.length,
  timeout: patience(120_000),
  expect: { timeout: patience(20_000) },
  reporter: 'list',
  use: {
    ...devices['Desktop Chrome'],
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'Europe/Istanbul',
    trace: 'off',
    // A press that finds nothing to press says which, long before its test is out of time.
    actionTimeout: patience(40_000),
    // What moves is waited for at every press: a twelfth of the time, and nothing a test asserts.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      ...(executablePath ? { executablePath } : {}),
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    },
  },
  webServer: running
    ? []
    : ports.map((port) => ({
        // It lives for some minutes: its WASM is compiled once and quickly, and not a second time for speed.
        command: 'node --liftoff-only scripts/start.mjs',
        url: `http://127.0.0.1:${port}/healthz`,
        timeout: patience(180_000),
        reuseExistingServer: false,
        gracefulShutdown: { signal: 'SIGTERM', timeout: 10_000 },
        env: {
          PORT: String(port),
          HOST: '127.0.0.1',
          DATA_DIR: join(data, String(port)),
          RATE_LIMIT_FACTOR: '100',
        },
      })),
})
