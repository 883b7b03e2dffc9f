import type { Locator, Page } from '@playwright/test'
import { test } from './support/added'
import { COMBINATIONS, field, main, makeRows, searchOf } from './support/subjects'
import { ACCOUNTS, expect, listRows, visit } from './support/test'

const dialog = (page: Page) => page.getByRole('dialog')
const names = (page: Page) => listRows(page).locator('th[scope="row"] a').allInnerTexts()

for (const { subject, language, words, say, name } of COMBINATIONS)
  test.describe(name, () => {
    test.use({ home: subject.home })
    test('by keys alone: the palette to everything, and the keys of a list', async ({
      page,
      signIn,
      api,
    }) => {
      const admin = await api(ACCOUNTS.admin)
      const { word, ids } = await makeRows(admin, subject, 3)
      const palette = page.getByRole('dialog', { name: say('palette:title') })
      const command = async (text: string, option: string) => {
        await page.keyboard.press('Control+k')
        await expect(palette.getByRole('combobox')).toBeFocused()
        await page.keyboard.type(text)
        await expect(palette.getByRole('option', { selected: true })).toContainText(option, {
          ignoreCase: true,
        })
        await page.keyboard.press('Enter')
        await expect(palette).toHaveCount(0)
      }
      const pressOnTab = async (button: Locator) => {
        const isThere = () => button.evaluate((at) => at === document.activeElement)
        for (let press = 0; press < 4 && !(await isThere()); press++) await page.keyboard.press('Tab')
        await page.keyboard.press('Enter')
      }
      await signIn(ACCOUNTS.admin, { language, at: '/groups' })
      await expect(listRows(page).first()).toBeVisible()
      await command(words.many.toLocaleUpperCase(language), words.many)
      await expect(page).toHaveURL(subject.path)
      await command(`${word} 02`, `${word} 02`)
      await expect(page).toHaveURL(`${subject.path}/${ids[1]}`)
      await expect(main(page).getByRole('heading', { name: new RegExp(`^${word} 02`) })).toBeVisible()
      // Actions of the open record: one that its resource declares, and one that every record has.
      const { action } = subject
      if (action) {
        const label = action.words[language]
        await command(label, label)
        await dialog(page).getByRole('textbox').focus()
        await page.keyboard.type('worn')
        await pressOnTab(dialog(page).getByRole('button', { name: label, exact: true }))
        const columns = Object.keys(action.change).join()
        await expect
          .poll(() => admin.read(`${subject.resource}?id=eq.${ids[1]}&select=${columns}`))
          .toEqual([action.change])
        await expect(dialog(page)).toHaveCount(0)
      }
      await command(say('engine:show.delete'), say('engine:show.delete'))
      await expect(
        dialog(page)
          .getByText(new RegExp(`${word} 02`))
          .first(),
      ).toBeVisible()
      await pressOnTab(dialog(page).getByRole('button', { name: say('engine:action.delete'), exact: true }))
      await expect(page).toHaveURL(new RegExp(`${subject.path}(\\?|$)`))
      expect(await admin.read(`${subject.resource}?id=eq.${ids[1]}&select=id`)).toEqual([])
      await command(say('common:actions.new', { name: words.one }), words.one)
      await expect(page).toHaveURL(/\/create-/)
      await expect(
        main(page).getByRole('button', { name: say('engine:form.create'), exact: true }),
      ).toBeVisible()

      await visit(page, `${subject.path}${searchOf(word)}`)
      await expect(listRows(page)).toHaveCount(2)
      expect((await names(page)).map((name) => name.slice(0, word.length + 3))).toEqual([
        `${word} 01`,
        `${word} 03`,
      ])
      const link = (place: number) => page.getByRole('link', { name: new RegExp(`^${word} 0${place}`) })
      await page.keyboard.press('j')
      await expect(link(1)).toBeFocused()
      await page.keyboard.press('j')
      await expect(link(3)).toBeFocused()
      await page.keyboard.press('k')
      await expect(link(1)).toBeFocused()
      await page.keyboard.press('x')
      await expect(listRows(page).first().getByRole('checkbox')).toBeChecked()
      await page.keyboard.press('?')
      const keys = page.getByRole('dialog', { name: say('palette:keys.title') })
      await expect(keys.getByText(say('palette:keys.down'))).toBeVisible()
      await page.keyboard.press('Escape')
      await expect(keys).toBeHidden()
      await page.keyboard.press('/')
      await expect(main(page).getByRole('searchbox')).toBeFocused()
      await page.keyboard.type(`${word} 03`)
      await expect(listRows(page)).toHaveCount(1)
      await page.keyboard.press('Tab')
      await page.keyboard.press('j')
      await page.keyboard.press('e')
      await expect(page).toHaveURL(`${subject.path}/${ids[2]}/edit`)
      await expect(field(page, words.key)).toHaveValue(`${word} 03`)

      await command(language === 'en' ? 'turkce' : 'English', language === 'en' ? 'Türkçe' : 'English')
      await expect(page.locator('html')).toHaveAttribute('lang', language === 'en' ? 'tr' : 'en')
      const elsewhere = subject.words[language === 'en' ? 'tr' : 'en']
      await expect(field(page, elsewhere.key)).toHaveValue(`${word} 03`)
    })
  })
