import { test as signedIn } from './support/one-page'
import {
  ACCOUNTS,
  expect,
  fillSignIn,
  PASSWORD,
  setLanguage,
  test,
  toast,
  unique,
  visit,
} from './support/test'

const email = (page: import('@playwright/test').Page) => page.locator('input[type="email"]')
const submit = (page: import('@playwright/test').Page) => page.locator('button[type="submit"]')

test.describe('signing in', () => {
  test('the form says what is missing and what is wrong, is used again, and lands on the dashboard', async ({
    page,
    api,
    allowErrors,
  }) => {
    allowErrors(/status of (400|500)/)
    await setLanguage(page, 'en')
    await page.goto('/signup')
    await expect(page.getByRole('heading', { name: 'Registration is closed' })).toBeVisible()
    await visit(page, '/login')

    await test.step('empty: in the product’s own words', async () => {
      await submit(page).click()
      // Said by the page, not by the browser's bubble, which no one can translate or read back.
      await expect(page.getByText('Enter your email address.')).toBeVisible()
      await expect(page.getByText('Enter your password.')).toBeVisible()
      await expect(email(page)).toHaveAttribute('aria-invalid', 'true')
      await email(page).fill(ACCOUNTS.admin)
      await submit(page).click()
      await expect(page.getByText('Enter your email address.')).toBeHidden()
      await expect(page.getByText('Enter your password.')).toBeVisible()
      await expect(page).toHaveURL(/\/login$/)
    })

    const alert = page.getByRole('main').getByRole('alert')
    const who = `nobody-${Date.now()}@nowhere.test`
    await test.step('a wrong password and an unknown address get the same alert', async () => {
      await fillSignIn(page, ACCOUNTS.admin, 'Not-The-Password-1')
      await expect(alert).toContainText('Invalid login credentials')
      const refused = page.waitForResponse((response) => response.url().includes('/auth/v1/token'))
      const recorded = page.waitForResponse(
        (response) =>
          response.url().includes('/rest/v1/failed_login_attempts') && response.request().method() === 'POST',
      )
      await fillSignIn(page, who, PASSWORD)
      expect((await refused).status()).toBe(400)
      expect((await recorded).status()).toBe(201)
      expect((await recorded).request().postDataJSON()).toMatchObject({
        user_email: who,
        ip_address: 'browser',
      })
      await expect(alert).toContainText('Invalid login credentials')
    })

    await test.step('the failure is recorded with what the specification lists', async () => {
      // The server saw the attempt, so its own record is kept.
      const [row, ...more] = await (await api(ACCOUNTS.super)).read(
        `failed_login_attempts?user_email=eq.${encodeURIComponent(who)}&select=user_email,source,user_agent,failure_reason`,
      )
      expect(row).toMatchObject({ user_email: who, source: 'server' })
      expect(more).toEqual([])
      expect(String(row?.user_agent)).toContain('Chrome')
      expect(String(row?.failure_reason)).not.toBe('')
    })

    await test.step('an answer without a reason shows that the sign-in failed, and is recorded with one', async () => {
      const answers = [
        { status: 500, body: '{}', reason: 'HTTP 500' },
        { status: 500, body: '', reason: 'HTTP 500' },
        { status: 200, body: '', reason: 'HTTP 500' },
      ]
      for (const { reason, ...answer } of answers) {
        await page.route('**/auth/v1/token*', (route) => route.fulfill(answer))
        const report = page.waitForRequest(
          (request) =>
            request.url().includes('/rest/v1/failed_login_attempts') && request.method() === 'POST',
        )
        await fillSignIn(page, ACCOUNTS.admin)
        expect((await report).postDataJSON()).toMatchObject({ failure_reason: reason })
        await expect(alert).toHaveText(/^(Login failed|Giriş başarısız)$/)
        await page.unrouteAll({ behavior: 'wait' })
      }
    })

    await test.step('success says so, and leaves no way back to the form', async () => {
      await expect(submit(page)).toBeEnabled()
      await fillSignIn(page, ACCOUNTS.admin)
      await expect(page).toHaveURL(/\/$/)
      await expect(toast(page)).toBeVisible()
      await toast(page).getByRole('button', { name: /close/i }).click()
      await expect(toast(page)).toBeHidden()
      await page.goBack()
      // The form was replaced in the history: what lies before it sends a signed-in user home again.
      await expect(page).toHaveURL(/\/$/)
      await expect(page.getByRole('main')).toBeVisible()
    })

    await test.step('who is signed in stays so, and is sent home from the form', async () => {
      await page.goto('/login')
      await expect(page).toHaveURL(/\/$/)
      await expect(page.getByRole('main')).toBeVisible()
      await visit(page, '/signup')
      await expect(page).toHaveURL(/\/$/)
      await expect(page.getByRole('main')).toBeVisible()
    })
  })

  test('the form in the HTML is used before the script arrives, and nothing typed is lost', async ({
    page,
  }) => {
    const held: (() => void)[] = []
    await page.route('**/assets/index-*.js', async (route) => {
      await new Promise<void>((release) => held.push(release))
      await route.continue()
    })
    const release = () => expect.poll(() => held.splice(0).map((send) => send()).length).toBeGreaterThan(0)
    await setLanguage(page, 'tr')

    // A press is repeated by the page that follows.
    await page.goto('/login', { waitUntil: 'commit' })
    await submit(page).click()
    await expect(page.getByText('E-posta adresinizi girin.')).toBeHidden()
    await release()
    await expect(page.getByText('E-posta adresinizi girin.')).toBeVisible()

    // A press counts on a page that is replaced under it: down on the early button, up on its successor.
    await page.reload({ waitUntil: 'commit' })
    await submit(page).hover()
    await page.mouse.down()
    await release()
    await expect(page.locator('#early')).toHaveCount(0)
    await page.mouse.up()
    await expect(page.getByText('E-posta adresinizi girin.')).toBeVisible()

    await page.reload({ waitUntil: 'commit' })
    await expect(email(page)).toBeFocused()
    await page.keyboard.type(ACCOUNTS.admin)
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD.slice(0, 6))
    await expect(page.locator('#early')).toBeVisible()
    await release()
    await expect(page.locator('#early')).toHaveCount(0)
    await expect(email(page)).toHaveValue(ACCOUNTS.admin)
    await page.keyboard.type(PASSWORD.slice(6))
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/$/)
  })

  test('a private page asks to sign in; an account without a role stays outside, another gets to the page', async ({
    page,
    allowErrors,
  }) => {
    allowErrors(/status of 406|role/i)
    await setLanguage(page, 'en')
    await page.route('**/rest/v1/user_roles*', (route) =>
      route.fulfill({
        status: 406,
        contentType: 'application/json',
        body: JSON.stringify({
          code: 'PGRST116',
          message: 'JSON object requested, multiple (or no) rows returned',
          details: 'The result contains 0 rows',
          hint: null,
        }),
      }),
    )
    await page.goto('/devices?q=pc')
    await expect(page).toHaveURL(/\/login/)
    await expect(email(page)).toBeVisible()
    const form = page.url()
    await fillSignIn(page, ACCOUNTS.teknik)
    await expect(page.getByRole('main').getByRole('alert')).toContainText('no role')
    await expect(page).toHaveURL(form)
    await page.reload()
    await expect(email(page)).toBeVisible()
    await expect(page).toHaveURL(form)

    await page.unroute('**/rest/v1/user_roles*')
    await fillSignIn(page, ACCOUNTS.admin)
    await expect(page).toHaveURL(/\/devices\?q=pc$/)
  })

  test('a session that ended while a form was filled in is renewed over it, and saving goes on', async ({
    page,
    signIn,
    allowErrors,
  }) => {
    allowErrors(/status of 40[013]/)
    await signIn(ACCOUNTS.admin, { language: 'en', at: '/create-group' })
    const name = page.getByRole('main').getByRole('textbox', { name: /Name$/ })
    await name.fill(unique('Kept'))
    // As from another machine: this page is told nothing.
    await page.evaluate(async () => {
      const key = Object.keys(localStorage).find((each) => each.endsWith('-auth-token')) ?? ''
      const { access_token: token } = JSON.parse(localStorage.getItem(key) ?? '{}')
      const config = document.querySelector('meta[name="konsol-config"]')?.getAttribute('content') ?? '{}'
      await fetch('/auth/v1/logout?scope=local', {
        method: 'POST',
        headers: { apikey: JSON.parse(config).key, Authorization: `Bearer ${token}` },
      })
    })
    await page.getByRole('main').getByRole('button', { name: 'Create', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await expect(dialog.getByRole('textbox', { name: 'Email' })).toHaveValue(ACCOUNTS.admin)
    await dialog.locator('input[type="password"]').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await expect(dialog).toBeHidden()
    await expect(page).toHaveURL(/\/groups\/[0-9a-f-]{36}/)
  })
})

test('public pages are there without a session, in the language that is chosen on one of them', async ({
  page,
}) => {
  await page.addInitScript(() => {
    if (!localStorage.getItem('i18nextLng')) localStorage.setItem('i18nextLng', '<script>alert(1)</script>')
  })
  await page.goto('/login')

  await test.step('a stored language that looks like script is thrown away', async () => {
    await expect(page.locator('html')).toHaveAttribute('lang', 'en')
    await expect(submit(page)).toHaveText('Sign in')
    // The form of the HTML is gone: the console has read what is stored.
    await expect(page.locator('#early')).toHaveCount(0)
    expect(await page.evaluate(() => localStorage.getItem('i18nextLng'))).toBeNull()
  })

  await test.step('the firewall check opens without a session', async () => {
    await visit(page, '/waf-test')
    await expect(page.getByRole('heading', { name: 'Firewall check' })).toBeVisible()
  })

  await test.step('any other address is a 404 with a way home', async () => {
    await visit(page, '/no/such/page')
    await expect(page.getByRole('heading', { name: 'Oops! Page not found' })).toBeVisible()
  })

  await test.step('sign-up says that it is closed and leads back', async () => {
    await visit(page, '/signup')
    await expect(page.getByRole('heading', { name: 'Registration is closed' })).toBeVisible()
    await expect(page.locator('input')).toHaveCount(0)
    await page.locator('a[href="/login"]').click()
    await expect(page).toHaveURL(/\/login$/)
  })

  await test.step('the language switch changes the words at once and is remembered', async () => {
    await page.getByRole('group', { name: 'Language' }).getByRole('button', { name: 'Türkçe' }).click()
    await expect(page.locator('html')).toHaveAttribute('lang', 'tr')
    await expect(submit(page)).toHaveText('Giriş yap')
    await page.reload()
    await expect(page.locator('html')).toHaveAttribute('lang', 'tr')
  })
})

signedIn(
  'who is signed in meets a 404, too, and its link leads to their own home',
  async ({ page, signIn }) => {
    await signIn(ACCOUNTS.standard, { language: 'en', at: '/no/such/page' })
    await expect(page.getByRole('heading', { name: 'Oops! Page not found' })).toBeVisible()
    await page.getByRole('link', { name: /home/i }).click()
    await expect(page).toHaveURL(/\/tickets$/)
  },
)
