import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { test } from './support/added'
import { ACCOUNTS, expect, putSession, setLanguage, visit } from './support/test'

// A built console, as `npm start` serves it: nothing is built again and nothing restarts.

const entry = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name, exact: true })
const main = (page: Page) => page.getByRole('main')
const column = (page: Page, name: RegExp) => main(page).getByRole('columnheader', { name })

test.use({ home: 'plain' })

test('a running console follows its definitions, texts and permissions in every browser', async ({
  page,
  signIn,
  open,
  browser,
}) => {
  const { copy, url } = await open('plain')
  await signIn(ACCOUNTS.admin, { language: 'en' })
  const context = await browser.newContext()
  const second = await context.newPage()
  await setLanguage(second, 'en')
  await putSession(second, url, ACCOUNTS.teknik)
  await second.goto(`${url}/groups`)
  await expect(main(second)).toBeVisible()

  // A new resource: menu, list, form, and the other browser hears of its records.
  const labels = ['--label', 'Vehicle/Vehicles', '--label-tr', 'Araç/Araçlar']
  await copy.run('resource', 'new', 'vehicles', 'plate:text!', 'model:text', ...labels)
  await entry(second, 'Vehicles').click()
  await expect(second).toHaveURL(/\/vehicles$/)
  await entry(page, 'Vehicles').click()
  await main(page).getByRole('button', { name: 'New vehicle' }).first().click()
  await main(page)
    .getByRole('textbox', { name: /Plate$/ })
    .fill('34 AB 123')
  await main(page).getByRole('button', { name: 'Create', exact: true }).click()
  await expect(page).toHaveURL(/\/vehicles\/[0-9a-f-]{36}$/)
  await main(second).getByRole('button', { name: '1 change', exact: true }).click()
  await expect(main(second).getByText('34 AB 123')).toBeVisible()

  // A changed definition: a list shows it, a form with input waits for its user.
  await visit(page, '/create-vehicle')
  const plate = main(page).getByRole('textbox', { name: /Plate$/ })
  await plate.fill('06 XY 9')
  const file = join(copy.root, 'resources/vehicles.json')
  const definition = JSON.parse(readFileSync(file, 'utf8'))
  definition.fields.model.label = { en: 'Model name', tr: 'Model adı' }
  writeFileSync(file, JSON.stringify(definition, null, 2))
  await expect(column(second, /^Model name/)).toBeVisible()
  await expect(main(page).getByText('This page has a new version')).toBeVisible()
  await expect(plate).toHaveValue('06 XY 9')
  await main(page).getByRole('button', { name: 'Create', exact: true }).click()
  await expect(main(page).getByText('Model name')).toBeVisible()
  await expect(main(page).getByText('This page has a new version')).toHaveCount(0)

  // A mistake: the last correct version stays, with file and line.
  writeFileSync(file, JSON.stringify({ ...definition, paint: 'red' }, null, 2))
  await expect(main(second).getByText('unknown key `paint` in the definition')).toBeVisible()
  await expect(column(second, /^Model name/)).toBeVisible()
  writeFileSync(file, JSON.stringify(definition, null, 2))
  await expect(main(second).getByText('unknown key `paint` in the definition')).toHaveCount(0)

  // A field before its migration: the list goes on as it was, and takes the field with its column.
  definition.fields.paint = { type: 'text' }
  writeFileSync(file, JSON.stringify(definition, null, 2))
  await expect(main(second).getByText('the table `vehicles` has no column `paint` yet')).toBeVisible()
  await expect(main(second).getByText('34 AB 123')).toBeVisible()
  await copy.run('resource', 'migrate', 'vehicles')
  await expect(column(second, /^Paint/)).toBeVisible()
  await expect(main(second).getByText('34 AB 123')).toBeVisible()

  // A permission and a text.
  const lines = join(copy.root, 'policies/teknik.csv')
  const kept = readFileSync(lines, 'utf8')
    .split('\n')
    .filter((line) => !line.includes('vehicles'))
  writeFileSync(lines, kept.join('\n'))
  const texts = join(copy.root, 'locales/en/resources.json')
  const words = JSON.parse(readFileSync(texts, 'utf8'))
  words.monitors.many = 'Watchers'
  writeFileSync(texts, JSON.stringify(words, null, 2))
  await copy.run('policies')
  await expect(main(second).getByText('vehicles, list')).toBeVisible()
  await expect(entry(second, 'Vehicles')).toHaveCount(0)
  await expect(entry(second, 'Watchers')).toBeVisible()

  // A removed definition: its open page says so.
  rmSync(file)
  await expect(main(page).getByText('Vehicles was removed')).toBeVisible()
  await expect(entry(page, 'Vehicles')).toHaveCount(0)
  await context.close()
})
