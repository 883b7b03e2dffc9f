import type { Page } from '@playwright/test'
import { ACCOUNTS, expect, expectToast, NAMES, test, toast, unique, visit } from './support/one-page'

const main = (page: Page) => page.getByRole('main')
const rowOf = (page: Page, name: string) => main(page).getByRole('row').filter({ hasText: name })
/** A record in the trash. */
const itemOf = (page: Page, name: string) =>
  main(page)
    .getByRole('region', { name: /^(Trash|Çöp kutusu)$/ })
    .getByRole('listitem')
    .filter({ hasText: name })
/** The dialog of the library and its question beside a button. */
const confirm = (page: Page, name: string) =>
  page.locator('.ant-modal, .ant-popconfirm').getByRole('button', { name, exact: true }).click()

test('a deleted record is taken back at once, restored from the trash, and deleted forever', async ({
  page,
  signIn,
  api,
}) => {
  const admin = await api(ACCOUNTS.admin)
  const name = unique('Uptime')
  const list = `/saved-commands?q=${encodeURIComponent(name)}`
  const { id } = await admin.create('saved_commands', { name, command: 'uptime' })
  await signIn(ACCOUNTS.admin, { language: 'en', at: list })
  // Another record has the same name for a while, and a list that was open before shows its row until it is read.
  const row = main(page)
    .getByRole('row')
    .filter({ has: page.locator(`a[href*="${id}"]`) })
  const deleteIt = async () => {
    await row.getByRole('button', { name: /^Actions/ }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await expect(page.getByText('It moves to the trash. It can be restored within 30 days.')).toBeVisible()
    await confirm(page, 'Delete')
    await expectToast(page, `${name} was moved to the trash`)
    expect(await admin.read(`saved_commands?select=id&id=eq.${id}`)).toEqual([])
    await expect(rowOf(page, name)).toHaveCount(0)
  }

  await test.step('the toast takes the deletion back', async () => {
    await deleteIt()
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await expectToast(page, `${name} was restored`)
    await expect(rowOf(page, name)).toBeVisible()
  })

  await test.step('its address says that it is in the trash, and restores it', async () => {
    await deleteIt()
    await visit(page, `/saved-commands/${id}`)
    await expect(main(page).getByText(`${name} is in the trash`)).toBeVisible()
    await expect(main(page).getByText(/deleted for good in 30 days/)).toBeVisible()
    await main(page).getByRole('button', { name: 'Restore', exact: true }).click()
    await expectToast(page, `${name} was restored`)
    await expect(main(page).getByRole('heading', { name })).toBeVisible()
    await main(page).getByRole('tab', { name: 'Activity' }).click()
    await expect(main(page).getByText(`${NAMES.admin} moved this to the trash`).first()).toBeVisible()
    await expect(main(page).getByText(`${NAMES.admin} restored this from the trash`).first()).toBeVisible()
  })

  await test.step('the trash of the list restores it, unless its name is taken', async () => {
    await visit(page, list)
    await deleteIt()
    const taker = await admin.create('saved_commands', { name, command: 'w' })
    await main(page).getByRole('button', { name: 'More actions for the list' }).click()
    await page.getByRole('menuitem', { name: 'Trash' }).click()
    await expect(page).toHaveURL(/\/saved-commands\?trash=1$/)
    await expect(itemOf(page, name)).toContainText('30 days left')
    await itemOf(page, name)
      .getByRole('button', { name: `Restore: ${name}` })
      .click()
    await expectToast(page, 'Another record has the same name. Change that one first, then restore this one.')
    await admin.request('PATCH', `saved_commands?id=eq.${taker.id}`, { name: unique('Taker') })
    await itemOf(page, name)
      .getByRole('button', { name: `Restore: ${name}` })
      .click()
    await expectToast(page, `${name} was restored`)
    await expect(itemOf(page, name)).toHaveCount(0)
  })

  await test.step('it is deleted forever after a question', async () => {
    await visit(page, list)
    await deleteIt()
    await visit(page, '/saved-commands?trash=1')
    await itemOf(page, name)
      .getByRole('button', { name: `Delete forever: ${name}` })
      .click()
    await expect(page.getByText(`Delete ${name} forever?`)).toBeVisible()
    await confirm(page, 'Delete forever')
    await expectToast(page, `${name} was deleted for good`)
    await visit(page, `/saved-commands/${id}`)
    await expect(
      main(page)
        .getByText(/could not be found|does not exist|not found|no longer/i)
        .first(),
    ).toBeVisible()
  })

  await test.step('what a technician may not restore looks gone to them', async () => {
    const other = unique('Hidden')
    const made = await admin.create('saved_commands', { name: other, command: 'w' })
    await admin.request('DELETE', `saved_commands?id=eq.${made.id}`)
    await signIn(ACCOUNTS.teknik, { language: 'en', at: `/saved-commands/${made.id}` })
    await expect(main(page).getByText(/in the trash/)).toHaveCount(0)
    await visit(page, '/saved-commands?trash=1')
    await expect(main(page).getByText(other)).toHaveCount(0)
    await expect(main(page).getByRole('button', { name: 'Empty trash' })).toHaveCount(0)
  })
})

test('several tickets go to the trash and come back, and the trash is emptied, in Turkish', async ({
  page,
  signIn,
  api,
}) => {
  // The whole trash of a company is emptied, so that of one in which no other test deletes a ticket.
  const admin = await api(ACCOUNTS.globex)
  const word = unique('Çöp')
  for (const place of [1, 2, 3]) await admin.create('tickets', { subject: `${word} ${place}` })
  await signIn(ACCOUNTS.globex, { language: 'tr', at: `/tickets?q=${encodeURIComponent(word)}` })
  await expect(rowOf(page, word)).toHaveCount(3)
  for (const place of [1, 2, 3]) await rowOf(page, `${word} ${place}`).getByRole('checkbox').check()
  await main(page).getByRole('button', { name: 'Sil', exact: true }).click()
  await expect(page.getByText('Çöp kutusuna taşınırlar. 30 gün içinde geri yüklenebilirler.')).toBeVisible()
  await page.getByRole('dialog').getByRole('button', { name: /sil$/i }).click()
  // The list is empty now, nothing is selected any more, and the toast takes the deletion back.
  await expect(rowOf(page, word)).toHaveCount(0)
  await expect(main(page).getByText('3 seçildi')).toHaveCount(0)
  await toast(page).getByRole('button', { name: 'Geri al', exact: true }).click()
  await expect(rowOf(page, word)).toHaveCount(3)
  const ids = (await admin.read(`tickets?select=id&subject=like.${encodeURIComponent(`${word} `)}_`)).map(
    ({ id }) => String(id),
  )
  for (const id of ids) await admin.request('DELETE', `tickets?id=eq.${id}`)
  await visit(page, '/tickets?trash=1')
  await expect(itemOf(page, word)).toHaveCount(3)
  await expect(itemOf(page, word).first()).toContainText('30 gün kaldı')
  await itemOf(page, `${word} 1`).getByRole('checkbox').check()
  await main(page).getByRole('button', { name: 'Geri yükle', exact: true }).first().click()
  await expect(itemOf(page, word)).toHaveCount(2)
  await main(page).getByRole('button', { name: 'Çöp kutusunu boşalt' }).click()
  await confirm(page, 'Çöp kutusunu boşalt')
  await expect(main(page).getByText('Çöp kutusu boş')).toBeVisible()
  expect(
    await admin.read(`tickets?select=subject&subject=like.${encodeURIComponent(word)}*&order=subject`),
  ).toEqual([{ subject: `${word} 1` }])
})
