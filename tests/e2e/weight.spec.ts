import { gzipSync } from 'node:zlib'
import { FIRST_LIST_GZIP } from '../support/budgets'
import { ACCOUNTS, expect, listRows, test } from './support/test'

test('the first list loads no more JavaScript than it may', async ({ page, signIn }) => {
  const bodies: Promise<number>[] = []
  page.on('response', (response) => {
    if (new URL(response.url()).pathname.endsWith('.js'))
      bodies.push(response.body().then((body) => gzipSync(body).length))
  })
  await signIn(ACCOUNTS.admin, { at: '/devices' })
  await expect(listRows(page).first()).toBeVisible()
  await page.waitForLoadState('networkidle')
  const bytes = (await Promise.all(bodies)).reduce((sum, length) => sum + length, 0)
  // Far below, it would have missed most of them.
  expect(bytes).toBeGreaterThan(FIRST_LIST_GZIP * 0.8)
  expect(bytes).toBeLessThan(FIRST_LIST_GZIP)
})
