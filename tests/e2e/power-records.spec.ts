import type { Page } from '@playwright/test'
import { test } from './support/added'
import { COMBINATIONS, field, main, makeRows, openOther, searchOf } from './support/subjects'
import { ACCOUNTS, expect, expectToast, listRows, unique, visit } from './support/test'

for (const { subject, language, words, say, name } of COMBINATIONS)
  test.describe(name, () => {
    test.use({ home: subject.home })
    test('records in the order of their list, printed, merged and restored; a change shows elsewhere', async ({
      page,
      signIn,
      browser,
      baseURL,
      api,
    }) => {
      const admin = await api(ACCOUNTS.admin)
      const teknik = await api(ACCOUNTS.teknik)
      const { word, ids } = await makeRows(admin, subject, 3, (place) => ({
        [subject.text]: 'before',
        [subject.choice.field]: place === 1 ? subject.choice.other : subject.choice.usual,
      }))
      const heading = (place: number) =>
        main(page).getByRole('heading', { name: new RegExp(`^${word} 0${place}`) })
      await signIn(ACCOUNTS.admin, { language, at: `${subject.path}${searchOf(word)}` })
      await listRows(page)
        .getByRole('link', { name: new RegExp(`^${word} 02`) })
        .click()
      await expect(heading(2)).toBeVisible()
      const next = main(page).getByRole('button', { name: new RegExp(`^${say('engine:walk.next')}`) })
      await expect(next).toBeEnabled()
      await page.keyboard.press(']')
      await expect(heading(3)).toBeVisible()
      await expect(next).toBeDisabled()
      await page.keyboard.press('[')
      await expect(heading(2)).toBeVisible()

      await page.evaluate(() =>
        Object.assign(window, { print: () => Object.assign(window, { printed: true }) }),
      )
      await main(page)
        .getByRole('button', { name: say('engine:show.more'), exact: true })
        .click()
      await page.getByRole('menuitem', { name: say('engine:print.record') }).click()
      await expect.poll(() => page.evaluate(() => 'printed' in window)).toBe(true)
      await page.emulateMedia({ media: 'print' })
      await expect(page.getByRole('navigation').first()).toBeHidden()
      await expect(
        main(page).getByRole('button', { name: say('engine:show.edit'), exact: true }),
      ).toBeHidden()
      await expect(main(page).getByText('before').first()).toBeVisible()
      await page.emulateMedia({ media: 'screen' })
      await page.evaluate(() => window.dispatchEvent(new Event('afterprint')))

      // Two users write at once, and each can keep their change.
      const id = ids[1] ?? ''
      const columns = `${subject.key},${subject.text}`
      const record = () => admin.read(`${subject.resource}?id=eq.${id}&select=${columns}`)
      await main(page)
        .getByRole('button', { name: say('engine:show.edit'), exact: true })
        .click()
      await field(page, words.key).fill(`${word} 02 benim`)
      await teknik.request('PATCH', `${subject.resource}?id=eq.${id}`, { [subject.text]: 'theirs' })
      await expect(main(page).getByText(say('engine:merge.by', { who: ACCOUNTS.teknik }))).toBeVisible()
      await main(page)
        .getByRole('button', { name: say('engine:merge.compare') })
        .click()
      const merge = page.getByRole('dialog', { name: say('engine:merge.title') })
      const choice = (label: string, side: 'mine' | 'theirs') =>
        merge.getByRole('radio', {
          name: say('engine:merge.choice', { field: label, side: say(`engine:merge.${side}`) }),
        })
      await expect(choice(words.key, 'mine')).toBeChecked()
      await expect(choice(words.text, 'theirs')).toBeChecked()
      // The record is read again slowly: the form that follows waits for it, and takes this save for nobody else's.
      let answer = () => {}
      const held = new Promise<void>((done) => {
        answer = done
      })
      const ofRecord = ({ pathname, search }: URL) =>
        pathname.endsWith(`/rest/v1/${subject.resource}`) && search.includes(`id=eq.${id}`)
      await page.route(ofRecord, async (route) => {
        if (route.request().method() === 'GET') await held
        await route.fallback()
      })
      await merge.getByRole('button', { name: say('engine:merge.save') }).click()
      await expect.poll(record).toEqual([{ [subject.key]: `${word} 02 benim`, [subject.text]: 'theirs' }])

      await main(page)
        .getByRole('tab', { name: say('engine:activity.title') })
        .click()
      await main(page)
        .getByRole('listitem')
        .filter({ hasText: say('engine:activity.edit', { who: ACCOUNTS.teknik }) })
        .getByRole('button', { name: say('engine:restore.button') })
        .click()
      await expect(page).toHaveURL(/\/edit$/)
      answer()
      await expect(field(page, words.text)).toHaveValue('before')
      await page.keyboard.press('Control+s')
      await expect.poll(async () => (await record())[0]?.[subject.text]).toBe('before')
      await expect(page).toHaveURL(new RegExp(`${subject.path}/${id}(\\?|$)`))

      // A second browser changes it by the form; a third, of another company, hears nothing of it.
      await visit(page, `${subject.path}${searchOf(word)}&${subject.choice.field}=${subject.choice.other}`)
      await expect(listRows(page)).toHaveCount(1)
      const pill = (at: Page, count: number) =>
        main(at).getByRole('button', {
          name: say('engine:live.changes', { figure: count, count }),
          exact: true,
        })
      const stranger = await openOther(browser, baseURL, ACCOUNTS.globex, { language, at: subject.path })
      await expect(
        main(stranger).getByRole('button', { name: say('engine:list.more'), exact: true }),
      ).toBeVisible()
      const other = await openOther(browser, baseURL, ACCOUNTS.admin, {
        language,
        at: `${subject.path}/${ids[0]}/edit`,
      })
      // The list does not tell of changes outside its filter: the change told first is the one inside.
      const change = (at: number, values: object) =>
        teknik.request('PATCH', `${subject.resource}?id=eq.${ids[at - 1]}`, values)
      await change(3, { [subject.text]: 'outside' })
      await field(other, words.text).fill('elsewhere')
      await other.keyboard.press('Control+s')
      await expectToast(other, say('engine:form.saved', { title: subject.titleOf(`${word} 01`) }))
      await expect(pill(page, 1)).toBeVisible()
      await change(3, { [subject.choice.field]: subject.choice.other })
      await expect(pill(page, 2)).toBeVisible()
      await page.keyboard.press('.')
      await expect(listRows(page)).toHaveCount(2)
      await expect(listRows(page).filter({ hasText: 'elsewhere' })).toHaveCount(1)
      // The other company hears next of its own change, and of that alone.
      const globex = await api(ACCOUNTS.globex)
      await globex.create(subject.resource, subject.row(unique('own')))
      await expect(pill(stranger, 1)).toBeVisible()
      await Promise.all([stranger.context().close(), other.context().close()])
    })
  })
