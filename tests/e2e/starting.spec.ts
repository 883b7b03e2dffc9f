import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { patience } from '../support/patience'
import { BRIEF } from '../support/program'
import { expect, test } from './support/test'

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

test('whoever opens a console that is starting sees how far it is, and then its sign-in page', async ({
  page,
  context,
  allowErrors,
}) => {
  allowErrors(/status of 503|ERR_CONNECTION/)
  const folder = mkdtempSync(join(tmpdir(), 'konsol-starting-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const server = spawn(process.execPath, [...BRIEF, 'dist-server/bin/serve.mjs'], {
    env: { ...process.env, PORT: String(port), HOST: '127.0.0.1', DATA_DIR: join(folder, 'data') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await new Promise<void>((done) => {
      let said = ''
      server.stdout.on('data', (chunk) => {
        said += String(chunk)
        if (said.includes(`Starting at      ${url}`)) done()
      })
    })
    // Pages of one context share what the console stores: each sets its language before it reads it.
    await page.addInitScript(() => localStorage.setItem('i18nextLng', 'en'))
    expect((await page.goto(`${url}/devices`))?.status()).toBe(503)
    await expect(page.getByRole('progressbar', { name: 'Konsol is starting' })).toBeVisible()
    await expect(page.getByRole('status')).toHaveText(/^(Opening|Creating|Loading|Almost) .+/)
    const turkish = await context.newPage()
    await turkish.addInitScript(() => localStorage.setItem('i18nextLng', 'tr'))
    await turkish.goto(`${url}/devices`)
    await expect(turkish.getByRole('heading', { name: 'Konsol başlatılıyor' })).toBeVisible()
    await expect(turkish.getByRole('status')).toHaveText(/^(Veritabanı|Tablolar|Örnek veriler|Neredeyse) .+/)
    await turkish.close()
    // The whole first start, which takes its time on a slow machine.
    await expect(page.locator('input[type="password"]')).toBeVisible({ timeout: patience(100_000) })
    expect(new URL(page.url()).pathname).toBe('/login')
  } finally {
    server.kill()
    await new Promise((ended) => server.once('exit', ended))
    rmSync(folder, { recursive: true, force: true })
  }
})
