import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { strFromU8, unzipSync } from 'fflate'
import { test } from './support/added'
import { COMBINATIONS, main, makeRows, openOther, searchOf } from './support/subjects'
import { ACCOUNTS, expect, listRows, listTool, unique } from './support/test'

const dialog = (page: Page) => page.getByRole('dialog')

for (const { subject, language, words, say, name } of COMBINATIONS)
  test.describe(name, () => {
    test.use({ home: subject.home })
    test('facets, a saved view, a bulk edit of all that match, and both exports', async ({
      page,
      signIn,
      browser,
      baseURL,
      api,
    }) => {
      const admin = await api(ACCOUNTS.admin)
      // A run that was cut off may have left some behind.
      await admin.request('DELETE', `list_preferences?resource=eq.${subject.resource}`)
      const { word } = await makeRows(admin, subject, 12, (place) => ({
        [subject.choice.field]: place <= 4 ? subject.choice.other : subject.choice.usual,
        [subject.text]: place <= 3 ? 'Contoso' : null,
      }))
      await signIn(ACCOUNTS.admin, { language, at: `${subject.path}${searchOf(word)}&pageSize=10` })
      await expect(
        main(page).getByText(say('engine:list.range', { from: 1, to: 10, total: 12 })),
      ).toBeVisible()
      const usual = (await listRows(page).first().boundingBox())?.height ?? 0

      await main(page)
        .getByRole('button', { name: new RegExp(`^${say('engine:list.filters')}`) })
        .click()
      await main(page).getByRole('combobox', { name: words.choice }).click()
      const options = page.locator('.ant-select-item-option')
      await expect(options.filter({ hasText: '(8)' })).toBeVisible()
      await options.filter({ hasText: `${words.other} (4)` }).click()
      await page.keyboard.press('Escape')
      await expect(main(page).getByText(say('engine:list.range', { from: 1, to: 4, total: 4 }))).toBeVisible()

      await (await listTool(page, say('engine:list.columns'))).click()
      const chooser = page.getByRole('dialog', { name: say('views:columns.title') })
      await chooser
        .getByRole('checkbox', { name: say('views:columns.show', { column: words.text }) })
        .press('Space')
      await chooser.getByRole('radio', { name: say('views:columns.comfortable') }).press('ArrowRight')
      await expect(page.getByRole('columnheader', { name: new RegExp(`^${words.text}`) })).toHaveCount(0)
      await page.keyboard.press('Escape')
      await main(page)
        .getByRole('button', { name: say('views:save') })
        .click()
      const view = unique('Görünüm')
      await dialog(page)
        .getByRole('textbox', { name: say('views:name') })
        .fill(view)
      await page.keyboard.press('Enter')
      await expect(main(page).getByRole('button', { name: view, exact: true })).toHaveAttribute(
        'aria-pressed',
        'true',
      )
      await expect
        .poll(() => admin.read(`list_preferences?resource=eq.${subject.resource}&select=density`))
        .toEqual([{ density: 'compact' }])

      const later = await openOther(browser, baseURL, ACCOUNTS.admin, { language, at: subject.path })
      await main(later).getByRole('button', { name: view, exact: true }).click()
      await expect(listRows(later)).toHaveCount(4)
      await expect(later.getByRole('columnheader', { name: new RegExp(`^${words.key}`) })).toBeVisible()
      await expect(later.getByRole('columnheader', { name: new RegExp(`^${words.text}`) })).toHaveCount(0)
      expect((await listRows(later).first().boundingBox())?.height).toBeLessThan(usual)
      await later.context().close()
      await admin.request('DELETE', `saved_views?name=eq.${encodeURIComponent(view)}`)
      await admin.request('DELETE', `list_preferences?resource=eq.${subject.resource}`)

      await page.goto(`${subject.path}${searchOf(word)}&pageSize=10`)
      await page.getByRole('checkbox', { name: say('engine:list.selectAll') }).check()
      await page.getByRole('button', { name: say('bulk:all', { count: 12 }) }).click()
      await page.getByRole('button', { name: say('bulk:edit'), exact: true }).click()
      await dialog(page)
        .getByRole('combobox', { name: say('bulk:fields') })
        .click()
      await options.filter({ hasText: words.text }).click()
      await page.keyboard.press('Escape')
      await dialog(page).getByRole('textbox', { name: words.text }).fill('Contoso')
      await dialog(page)
        .getByRole('button', { name: say('bulk:apply', { count: 12 }) })
        .click()
      await expect(dialog(page).getByText(say('bulk:changed', { count: 9 }))).toBeVisible()
      await expect(dialog(page).getByText(say('bulk:same', { count: 3 }))).toBeVisible()
      await dialog(page)
        .getByRole('button', { name: say('bulk:close'), exact: true })
        .last()
        .click()
      await expect(dialog(page)).toHaveCount(0)
      const stored = await admin.read(
        `${subject.resource}?select=${subject.key},${subject.text}&${subject.key}=like.${word}*&order=${subject.key}`,
      )
      expect(stored.map((row) => row[subject.text])).toEqual(Array(12).fill('Contoso'))

      const exported = async (format: 'CSV' | 'Excel (XLSX)') => {
        await (await listTool(page, say('engine:list.export'))).click()
        await dialog(page).getByRole('radio', { name: format }).check()
        const saved = page.waitForEvent('download')
        await dialog(page)
          .getByRole('button', { name: say('export:start'), exact: true })
          .click()
        const bytes = readFileSync(await (await saved).path())
        await expect(dialog(page).getByText(say('export:done', { rows: 12, count: 12 }))).toBeVisible()
        await dialog(page)
          .getByRole('button', { name: say('export:close'), exact: true })
          .last()
          .click()
        await expect(dialog(page)).toHaveCount(0)
        return bytes
      }
      const wanted = stored.map((row) => String(row[subject.key]))
      const [titles = '', ...lines] = (await exported('CSV'))
        .toString('utf8')
        .slice(1)
        .trimEnd()
        .split('\r\n')
      const separator = language === 'tr' ? ';' : ','
      expect(titles.split(separator)).toEqual(expect.arrayContaining([words.key, words.text, words.choice]))
      const place = titles.split(separator).indexOf(words.key)
      expect(lines.map((line) => line.split(separator)[place])).toEqual(wanted)
      expect(lines.filter((line) => line.split(separator).includes(words.other))).toHaveLength(4)
      expect(lines.every((line) => line.split(separator).includes('Contoso'))).toBe(true)
      const parts = unzipSync(new Uint8Array(await exported('Excel (XLSX)')))
      const sheet = strFromU8(parts['xl/worksheets/sheet1.xml'] ?? new Uint8Array())
      const texts = [...sheet.matchAll(/<t[^>]*>([^<]*)<\/t>/g)].map(([, text]) => text ?? '')
      expect(texts).toContain(words.choice)
      expect(texts.filter((text) => text.startsWith(word))).toEqual(wanted)
      expect(texts.filter((text) => text === words.other)).toHaveLength(4)
      expect(texts.filter((text) => text === 'Contoso')).toHaveLength(12)
    })
  })
