import type { Page } from '@playwright/test'
import { openPage } from './support/judge'
import { ACCOUNTS, expect, test, unique } from './support/one-page'

const main = (page: Page) => page.getByRole('main')

test('groups by rule, conditions, tags and titles find their devices', async ({ page, signIn, api }) => {
  const admin = await api(ACCOUNTS.admin)
  const own = `company_id=eq.${admin.companyId}`

  await test.step('a group by rule asks for tags and software, shows who matches, and has them once it is saved', async () => {
    const devices = await admin.read(`devices?${own}&select=id,name,os`)
    const [tag] = await admin.read(`tags?${own}&select=id,name,device_count&order=device_count.desc&limit=1`)
    const [title] = await admin.read(`software?${own}&name=eq.7-Zip&select=id,name`)
    const tagged = new Set(
      (await admin.read(`device_tags?tag_id=eq.${tag?.id}&select=device_id`)).map((row) => row.device_id),
    )
    const installed = new Set(
      (await admin.read(`device_software?software_id=eq.${title?.id}&select=device_id`)).map(
        (row) => row.device_id,
      ),
    )
    const wanted = devices.filter(({ id }) => tagged.has(id) && !installed.has(id))
    expect(wanted.length).toBeGreaterThan(0)
    expect(wanted.length).toBeLessThan(tagged.size)

    await signIn(ACCOUNTS.admin, { language: 'en', at: '/create-group' })
    await main(page).getByLabel('Name').fill(unique('Rule'))
    await main(page).getByLabel('Devices are chosen').click()
    await page.getByTitle('By rule').click()
    await main(page).getByRole('button', { name: 'Create', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Devices of this group' })
    const save = dialog.getByRole('button', { name: 'Save rule' })
    await expect(dialog.getByText('A rule needs at least one condition.')).toBeVisible()
    await expect(save).toBeDisabled()

    const part = (what: 'Field' | 'Comparison', place: string) =>
      dialog.getByRole('combobox', { name: `${what} of condition ${place}`, exact: true })
    const choose = async (place: string, text: string) => {
      await dialog.getByLabel(`Value of condition ${place}`, { exact: true }).fill(text)
      await page.locator('.ant-select-item-option').filter({ hasText: text }).first().click()
      await dialog.getByText('Devices of this group').click()
    }
    await part('Field', '1').selectOption({ label: 'Tags' })
    await choose('1', String(tag?.name))
    await expect(dialog.getByText(`${tagged.size} devices match`)).toBeVisible()
    await dialog.getByRole('button', { name: 'Add condition' }).click()
    await part('Field', '2').selectOption({ label: 'Installed software' })
    await part('Comparison', '2').selectOption({ label: 'is not any of' })
    await choose('2', String(title?.name))
    const count = `${wanted.length} ${wanted.length === 1 ? 'device matches' : 'devices match'}`
    await expect(dialog.getByText(count)).toBeVisible()
    await expect(dialog.getByRole('link')).toHaveCount(Math.min(wanted.length, 10))
    await save.click()

    await expect(dialog).toBeHidden()
    await expect(
      main(page).getByText(
        `Tags contains ${tag?.name} and Installed software does not contain ${title?.name}`,
      ),
    ).toBeVisible()
    await expect(main(page).getByText(`1–${wanted.length} of ${wanted.length}`)).toBeVisible()
    await expect(main(page).getByRole('button', { name: 'Add devices' })).toHaveCount(0)
  })

  await test.step('a condition on the operating system suggests what the devices run, and finds a part of it', async () => {
    const devices = await admin.read(`devices?company_id=eq.${admin.companyId}&select=os`)
    const names = [...new Set(devices.map(({ os }) => String(os)))].filter((os) => os !== 'null')
    const windows = devices.filter(({ os }) => String(os).startsWith('Windows'))
    await openPage(page, '/devices')
    await main(page).getByRole('button', { name: 'Filters' }).click()
    await main(page).getByRole('button', { name: 'Advanced filter…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Advanced filter for devices' })
    const field = dialog.getByRole('combobox', { name: 'Field of condition 1', exact: true })
    await expect(field.getByRole('option', { name: 'Tags' })).toHaveCount(0)
    await field.selectOption({ label: 'Operating system' })
    await dialog.getByLabel('Value of condition 1', { exact: true }).click()
    for (const name of names)
      await expect(page.locator('.ant-select-item-option').filter({ hasText: name }).first()).toBeVisible()
    await page.keyboard.press('Escape')
    await dialog
      .getByRole('combobox', { name: 'Comparison of condition 1', exact: true })
      .selectOption({ label: 'contains' })
    await dialog.getByLabel('Value of condition 1', { exact: true }).fill('Windows')
    await expect(dialog.getByText(`${windows.length} rows match`)).toBeVisible()
  })

  await test.step('a tag lists its devices', async () => {
    const [tag] = await admin.read(
      `tags?company_id=eq.${admin.companyId}&select=id,name,device_count&order=device_count.desc&limit=1`,
    )
    const [link] = await admin.read(`device_tags?tag_id=eq.${tag?.id}&select=devices(name)&limit=1`)
    const { name } = (link?.devices ?? { name: '' }) as { name: string }
    await openPage(page, `/tags/${tag?.id}`)
    await main(page).getByRole('tab', { name: 'Devices' }).click()
    await expect(main(page).getByText(new RegExp(`(of|/) ${tag?.device_count}$`))).toBeVisible()
    await main(page).getByRole('searchbox').first().fill(name)
    await expect(main(page).getByRole('link', { name, exact: true })).toBeVisible()
  })

  await test.step('the devices without a title are all reached, and chosen as they are', async () => {
    const [title] = await admin.read(`software?${own}&name=eq.1Password&select=id,devices`)
    const devices = await admin.read(`devices?${own}&select=id`)
    const without = devices.length - Number(title?.devices)
    expect(without).toBeGreaterThan(50)
    await openPage(page, `/software/${title?.id}?tab=spread`)
    const panel = main(page).getByRole('region', { name: 'Devices without it' })
    await expect(panel.getByText(`${without} devices`)).toBeVisible()
    await expect(panel.getByRole('listitem').getByRole('link')).toHaveCount(50)
    await panel.getByRole('navigation', { name: 'Pages of devices' }).getByTitle('2', { exact: true }).click()
    await expect(panel.getByRole('listitem').getByRole('link')).toHaveCount(Math.min(without - 50, 50))
    await panel.getByRole('button', { name: 'Run script' }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog.getByText(`${without} devices:`)).toBeVisible()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(dialog).toHaveCount(0)
  })
})
