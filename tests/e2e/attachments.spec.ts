import { randomBytes } from 'node:crypto'
import type { Page } from '@playwright/test'
import type { Api } from './support/api'
import { ACCOUNTS, expect, test, unique } from './support/test'

/** A picture of a single pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
  'base64',
)

const main = (page: Page) => page.getByRole('main')
const attached = (page: Page, name: string) =>
  main(page).getByRole('list', { name: 'Attachments' }).getByRole('listitem').filter({ hasText: name })

/** Drops or pastes files, as the system hands them to the page. */
const hand = (page: Page, how: 'drop' | 'paste', files: { name: string; type: string; bytes: Buffer }[]) =>
  page.evaluate(
    ({ how, files }) => {
      const transfer = new DataTransfer()
      for (const { name, type, base64 } of files)
        transfer.items.add(
          new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name, { type }),
        )
      if (how === 'paste') {
        document.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData: transfer, bubbles: true, cancelable: true }),
        )
        return
      }
      const area = document.querySelector('.k-drop')
      for (const type of ['dragover', 'drop'])
        area?.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }))
    },
    { how, files: files.map(({ name, type, bytes }) => ({ name, type, base64: bytes.toString('base64') })) },
  )

async function aTicket(api: (email: string) => Promise<Api>) {
  const made = await (await api(ACCOUNTS.admin)).create('tickets', { subject: unique('Printer') })
  return `/tickets/${made.id}?tab=attachments`
}

test('files are dropped on a record, pasted, shown with a preview, saved and deleted', async ({
  page,
  signIn,
  api,
}) => {
  await signIn(ACCOUNTS.admin, { at: await aTicket(api) })
  await expect(main(page).getByText('No attachments')).toBeVisible()
  await hand(page, 'drop', [
    { name: 'rechnung.pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.7\n') },
    { name: 'etiket fotoğrafı.png', type: 'image/png', bytes: PNG },
  ])
  await expect(attached(page, 'rechnung.pdf')).toBeVisible()
  await expect(
    attached(page, 'etiket').getByRole('img', { name: 'Preview of etiket fotoğrafı.png' }),
  ).toBeVisible()
  await hand(page, 'paste', [{ name: 'image.png', type: 'image/png', bytes: PNG }])
  await expect(attached(page, 'screenshot-')).toBeVisible()
  const saved = page.waitForEvent('download')
  await main(page).getByRole('button', { name: 'Download rechnung.pdf' }).click()
  expect((await saved).suggestedFilename()).toBe('rechnung.pdf')
  await main(page).getByRole('button', { name: 'Delete rechnung.pdf' }).click()
  await page.getByRole('tooltip').getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(attached(page, 'rechnung.pdf')).toHaveCount(0)
  await expect(attached(page, 'etiket')).toBeVisible()
})

test('a program is refused with its reason, and leaves nothing', async ({
  page,
  signIn,
  api,
  allowErrors,
}) => {
  allowErrors(/415|400/)
  await signIn(ACCOUNTS.admin, { at: await aTicket(api) })
  await expect(main(page).getByText('No attachments')).toBeVisible()
  await hand(page, 'drop', [
    { name: 'foto.jpg', type: 'image/jpeg', bytes: Buffer.from('MZ\x90\0'.padEnd(200, 'x')) },
  ])
  await expect(main(page).getByRole('alert')).toHaveText(/Programs, scripts and shortcuts are not taken/)
  await main(page).getByRole('button', { name: 'Dismiss the failed upload of foto.jpg' }).click()
  await expect(main(page).getByText('No attachments')).toBeVisible()
})

test('a large upload is canceled, and one that is cut off goes on where it was', async ({
  page,
  signIn,
  api,
  allowErrors,
}) => {
  allowErrors(/Failed to load resource|ERR_/)
  const at = await aTicket(api)
  await signIn(ACCOUNTS.admin, { at })
  await expect(main(page).getByText('No attachments')).toBeVisible()
  const bytes = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(8 * 1024 * 1024)])
  const input = main(page).getByTestId('file-input')

  // Held at its first piece, it is canceled.
  let release = () => {}
  const isHeld = new Promise<void>((done) => {
    release = done
  })
  await page.route('**/upload/resumable/*', async (route) => {
    if (route.request().method() === 'PATCH') await isHeld
    await route.continue().catch(() => undefined)
  })
  await input.setInputFiles({ name: 'log.pdf', mimeType: 'application/pdf', buffer: bytes })
  await main(page).getByRole('button', { name: 'Cancel the upload of log.pdf' }).click()
  await expect(main(page).getByRole('list', { name: 'Uploads' })).toHaveCount(0)
  release()
  await page.unroute('**/upload/resumable/*')

  // The first piece arrives and the line is cut: the second one is sent from there.
  const offsets: string[] = []
  let cut = 2
  await page.route('**/upload/resumable/*', async (route) => {
    const request = route.request()
    if (request.method() === 'PATCH') {
      offsets.push(request.headers()['upload-offset'] ?? '')
      if (offsets.length > 1 && cut-- > 0) return route.abort('connectionreset')
    }
    await route.continue()
  })
  await input.setInputFiles({ name: 'log.pdf', mimeType: 'application/pdf', buffer: bytes })
  await expect(attached(page, 'log.pdf')).toBeVisible()
  expect(offsets).toEqual(['0', '6291456', '6291456', '6291456'])
})

test('on a phone a requester attaches a photo to a ticket of their own', async ({ page, signIn, api }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const made = await (await api(ACCOUNTS.standard)).create('tickets', { subject: unique('Ekran') })
  await signIn(ACCOUNTS.standard, { at: `/tickets/${made.id}?tab=attachments`, language: 'tr' })
  await main(page)
    .getByTestId('file-input')
    .setInputFiles({ name: 'IMG_0001.jpg', mimeType: 'image/png', buffer: PNG })
  await expect(
    main(page).getByRole('list', { name: 'Ekler' }).getByRole('img', { name: 'IMG_0001.jpg önizlemesi' }),
  ).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})

test('a photo of the record is seen on its overview, opens large and is saved from there', async ({
  page,
  signIn,
  api,
}) => {
  const made = await (await api(ACCOUNTS.standard)).create('tickets', { subject: unique('Fotoğraf') })
  await signIn(ACCOUNTS.standard, { at: `/tickets/${made.id}?tab=attachments`, language: 'en' })
  await main(page)
    .getByTestId('file-input')
    .setInputFiles({ name: 'screen.png', mimeType: 'image/png', buffer: PNG })
  await expect(attached(page, 'screen.png').getByRole('img', { name: 'Preview of screen.png' })).toBeVisible()
  await main(page).getByRole('tab', { name: 'Overview' }).click()
  await main(page).getByRole('button', { name: 'Open screen.png' }).click()
  const dialog = page.getByRole('dialog', { name: 'screen.png' })
  await expect(dialog.getByRole('img', { name: 'Preview of screen.png' })).toBeVisible()
  const saved = page.waitForEvent('download')
  await dialog.getByRole('button', { name: 'Download' }).click()
  expect((await saved).suggestedFilename()).toBe('screen.png')
})
