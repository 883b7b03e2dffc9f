import type { Page } from '@playwright/test'
import { test } from './support/added'
import { COMBINATIONS, main, makeRows, searchOf } from './support/subjects'
import { ACCOUNTS, expect, expectToast, listRows, listTool, unique } from './support/test'

const dialog = (page: Page) => page.getByRole('dialog')

/** More rows than the document holds at once. */
const MANY = 150

for (const { subject, language, words, say, name } of COMBINATIONS)
  test.describe(name, () => {
    test.use({ home: subject.home })
    test('a nested filter, edits in cells, an import, and more rows than the document holds', async ({
      page,
      signIn,
      api,
    }) => {
      const { resource, path, key, text, choice } = subject
      const admin = await api(ACCOUNTS.admin)
      const { word, ids } = await makeRows(admin, subject, 6, (place) => ({
        [text]: place <= 4 ? 'Contoso' : null,
        [choice.field]: [1, 2, 5].includes(place) ? choice.other : choice.usual,
      }))
      const stored = () =>
        admin.read(`${resource}?select=${text},${choice.field}&${key}=like.${word}*&order=${key}`)
      await signIn(ACCOUNTS.admin, { language, at: `${path}${searchOf(word)}` })
      await expect(listRows(page)).toHaveCount(6)

      // The filter is one condition, and either of two more.
      await main(page)
        .getByRole('button', { name: say('engine:list.filters'), exact: true })
        .click()
      await main(page)
        .getByRole('button', { name: say('filters:open') })
        .click()
      const builder = page.getByRole('dialog', { name: say('filters:title', { name: words.many }) })
      const part = (what: 'field' | 'operator' | 'value', place: string) =>
        builder.getByLabel(say(`filters:${what}`, { place }), { exact: true })
      const press = (label: string) => builder.getByRole('button', { name: label, exact: true }).click()
      await part('field', '1').selectOption({ label: words.text })
      await part('value', '1').fill('Contoso')
      await press(say('filters:addGroup'))
      await part('field', '2.1').selectOption({ label: words.choice })
      await part('value', '2.1').fill(words.other)
      await page.keyboard.press('Enter')
      await press(say('filters:addConditionTo', { place: 2 }))
      await part('field', '2.2').selectOption({ label: words.key })
      await part('value', '2.2').fill(' 03')
      await expect(builder.getByText(say('filters:count', { count: 3, rows: 3 }))).toBeVisible()
      await press(say('filters:apply'))
      const contains = (field: string, value: string) =>
        say('filters:say.contains', { field, value: `“${value}”` })
      const either = [
        say('filters:say.is', { field: words.choice, value: words.other }),
        contains(words.key, '03'),
      ]
      const sentence = [contains(words.text, 'Contoso'), `(${either.join(say('filters:or'))})`]
      const chip = main(page).getByRole('button', {
        name: say('filters:chip', { text: sentence.join(say('filters:and')) }),
        exact: true,
      })
      await expect(chip).toBeVisible()
      await expect(listRows(page)).toHaveCount(3)
      await page.reload()
      await expect(chip).toBeVisible()
      await expect(listRows(page)).toHaveCount(3)
      await main(page)
        .getByRole('button', { name: say('filters:remove') })
        .click()
      await expect(listRows(page)).toHaveCount(6)

      // Two cells by keys; one is taken back before anything is written.
      const focused = page.locator('[data-cell]:focus')
      const type = async (value: string) => {
        await page.keyboard.press('Enter')
        await expect(page.getByRole('grid').getByRole('textbox')).toBeFocused()
        await page.keyboard.press('ControlOrMeta+a')
        await page.keyboard.type(value)
        await page.keyboard.press('Enter')
        await expect(focused).toHaveAttribute('data-cell', text)
      }
      await page.keyboard.press('c')
      await expect(focused).toHaveAttribute('data-cell', key)
      for (const _ of subject.cells) await page.keyboard.press('ArrowRight')
      await expect(focused).toHaveAttribute('data-cell', text)
      await type('Işık')
      await page.keyboard.press('ArrowDown')
      await type('Fabrikam')
      const changes = (count: number) =>
        say('inline:inRows', { count, changes: say('inline:changes', { count }) })
      await expect(main(page).getByText(changes(2))).toBeVisible()
      await page.keyboard.press('Escape')
      await page.keyboard.press('Enter')
      const second = subject.titleOf(`${word} 02`)
      await dialog(page)
        .getByRole('button', { name: say('inline:removeOf', { field: words.text, title: second }) })
        .press('Enter')
      await expect(dialog(page).getByText(changes(1))).toBeVisible()
      expect((await stored()).slice(0, 2).map((row) => row[text])).toEqual(['Contoso', 'Contoso'])
      await dialog(page)
        .getByRole('button', { name: say('inline:save') })
        .press('Enter')
      await expectToast(page, say('inline:saved', { count: 1 }))
      await expect(dialog(page)).toHaveCount(0)
      expect((await stored()).slice(0, 2).map((row) => row[text])).toEqual(['Işık', 'Contoso'])

      // An invalid line rejects the whole file; once corrected, the import updates existing records and adds
      // new ones.
      const rest = subject.row('')
      const others = Object.keys(rest).filter((field) => field !== key)
      const line = (serial: string, value: string, chosen: string) =>
        [`${word} ${serial}`, value, chosen, ...others.map((field) => rest[field])].join(';')
      const file = (chosen: string) => {
        const titles = [words.key, words.text, words.choice, ...others].join(';')
        const lines = [titles, line('01', 'Işıklı', words.other), line('07', 'Yeni', chosen), '']
        return { name: 'file.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n')) }
      }
      const next = (label: string) => dialog(page).getByRole('button', { name: label, exact: true }).click()
      const check = async (chosen: string) => {
        await dialog(page).getByLabel(say('import:drop')).setInputFiles(file(chosen))
        await next(say('import:next'))
        await next(say('import:toCheck'))
      }
      const before = await stored()
      await (await listTool(page, say('engine:list.import'))).click()
      await check('???')
      const mistakes = dialog(page)
        .getByRole('region', { name: say('import:check.table') })
        .locator('tbody tr')
      await expect(mistakes).toHaveCount(1)
      await expect(mistakes.getByRole('rowheader')).toHaveText('3')
      await expect(mistakes).toContainText(words.choice)
      await expect(dialog(page).getByText(say('import:check.bad'))).toBeVisible()
      const start = (rows: number | string) =>
        dialog(page).getByRole('button', {
          name: new RegExp(say('import:start', { count: rows === 2 ? 2 : 1, rows })),
        })
      await expect(start('\\d+')).toBeDisabled()
      expect(await stored()).toEqual(before)
      await next(say('import:otherFile'))
      await check(words.other)
      for (const kind of ['new', 'changed'])
        await expect(
          dialog(page).getByText(say(`import:check.${kind}`, { count: 1, rows: 1 }), { exact: true }),
        ).toBeVisible()
      await start(2).click()
      const done = say('import:run.doneText', { inserted: 1, updated: 1, same: 0 })
      await expect(dialog(page).getByText(done)).toBeVisible()
      await next(say('import:run.toList'))
      await expect(dialog(page)).toHaveCount(0)
      expect(await stored()).toEqual([
        { [text]: 'Işıklı', [choice.field]: choice.other },
        ...before.slice(1),
        { [text]: 'Yeni', [choice.field]: choice.other },
      ])
      expect(await admin.read(`${resource}?id=eq.${ids[0]}&select=${text}`)).toEqual([{ [text]: 'Işıklı' }])

      const many = unique('Sanal').replace(' ', '')
      const place = (at: number) => `${many} ${String(at).padStart(3, '0')}`
      const made = Array.from({ length: MANY }, (_, at) => ({
        company_id: admin.companyId,
        ...subject.row(place(at + 1)),
      }))
      expect((await admin.request('POST', resource, made)).status).toBe(201)
      await page.goto(`${path}${searchOf(many)}&pageSize=scroll`)
      await expect(
        main(page).getByText(say('engine:list.range', { from: 1, to: MANY, total: MANY })),
      ).toBeVisible()
      const table = page.getByRole('table', { name: words.many })
      await expect(table).toHaveAttribute('aria-rowcount', String(MANY + 1))
      const shown = table.locator('tr[data-row]')
      expect(await shown.count()).toBeLessThan(80)
      const row = (at: number) => table.getByRole('link', { name: place(at), exact: true })
      await expect(row(1)).toBeInViewport()
      const box = main(page).locator('.k-table-box')
      await expect(async () => {
        // The first rows appear before the whole list, so an early scroll is repeated.
        await box.evaluate((element) => element.scrollTo(0, element.scrollHeight))
        await expect(row(MANY)).toBeInViewport({ timeout: 1000 })
      }).toPass()
      await expect(row(1)).toHaveCount(0)
      expect(await shown.count()).toBeLessThan(80)
      for (const gone of [word, many]) await admin.request('DELETE', `${resource}?${key}=like.${gone}*`)
    })
  })
