import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ACCOUNTS, expect, putSession, setLanguage, test, unique } from './support/test'

/** A host in front of the console that answers its page in place of a file that is gone, to be kept for a year. */
async function hostInFront(of: string, missing: RegExp) {
  const state = { isGone: true }
  const server: Server = createServer((asked, answer) => {
    if (state.isGone && missing.test(asked.url ?? '')) {
      answer.writeHead(200, {
        'content-type': 'text/html',
        'cache-control': 'public, max-age=31536000, immutable',
      })
      answer.end('<!doctype html><title>Console</title>')
      return
    }
    const passed = request(
      new URL(asked.url ?? '/', of),
      { method: asked.method ?? 'GET', headers: asked.headers },
      (given) => {
        answer.writeHead(given.statusCode ?? 502, given.headers)
        given.pipe(answer)
      },
    )
    passed.on('error', () => answer.destroy())
    asked.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

test('a reload past the cache brings back a file that was gone, and keeps a draft', async ({
  page,
  api,
  baseURL,
  allowErrors,
}) => {
  // A browser names the file, or the one that asked for it.
  allowErrors(/Failed to load module script/)
  const admin = await api(ACCOUNTS.admin)
  const ticket = await admin.create('tickets', { company_id: admin.companyId, subject: unique('Dosya') })
  const host = await hostInFront(baseURL ?? '', /\/assets\/dashboard-page-[^/]*\.js$/)
  try {
    await setLanguage(page, 'en')
    await putSession(page, host.url, ACCOUNTS.admin)
    await page.goto(`${host.url}/tickets/${ticket.id}`)
    await page.getByRole('textbox', { name: 'Reply' }).fill('Half a sentence')
    await page.getByRole('link', { name: 'Dashboard' }).click()
    // The page loads itself anew once, and meets the same answer.
    const reload = page.getByRole('main').getByRole('button', { name: 'Reload the page' }).first()
    await expect(reload).toBeVisible()
    await expect(page.getByText('files are missing on the server').first()).toBeVisible()
    host.state.isGone = false
    await reload.click()
    await expect(page.getByRole('main').getByRole('heading').first()).toBeVisible()
    await expect(reload).toBeHidden()
    await page.goto(`${host.url}/tickets/${ticket.id}`)
    await expect(page.getByRole('textbox', { name: 'Reply' })).toHaveValue('Half a sentence')
  } finally {
    host.close()
  }
})
