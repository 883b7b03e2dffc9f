import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { patience } from '../../support/patience'
import { visit } from './test'

/** `shell:titles.devices`, `devices.fields.name`: what shows when a word is missing. */
const RAW_KEY =
  /(^|\s)([a-z][a-zA-Z]*:)?[a-z][a-zA-Z]*(\.[a-zA-Z_]+){1,5}(\s|$)|\b(shell|common|auth|engine|resources|access|errors):\w/

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The page shows what it has: nothing is loading or being counted any more, all of it at the same moment. */
export async function settled(page: Page): Promise<void> {
  const isSettled = () => {
    const main = document.querySelector('main')
    if (!main?.textContent?.trim()) return false
    if (main.querySelector('[aria-busy="true"], .ant-skeleton, .ant-spin-spinning, .k-skeleton')) return false
    return [...main.querySelectorAll('[role="status"]')].every(
      ({ textContent }) => !/Loading|Yükleniyor|counting|sayılıyor/.test(textContent ?? ''),
    )
  }
  await page.waitForFunction(isSettled, undefined, { timeout: patience(20_000) }).catch(() => {
    throw new Error(`${page.url()} does not come to rest`)
  })
}

/** Opens another page as a link does, and waits until it has replaced the one before and loads nothing any more. */
export async function openPage(page: Page, path: string): Promise<void> {
  const before = await page.evaluate(() => {
    const marked = document.querySelectorAll('main *')
    for (const element of marked) element.setAttribute('data-left-behind', '')
    return { count: marked.length, title: document.querySelector('h1')?.textContent }
  })
  await visit(page, path)
  // Over half of the old page is gone, or its title changed: two lists share many elements.
  await page.waitForFunction(
    ({ count, title }) =>
      document.querySelectorAll('main [data-left-behind]').length * 2 < count ||
      document.querySelector('h1')?.textContent !== title,
    before,
  )
  await settled(page)
}

async function violations(page: Page): Promise<string[]> {
  // Half a megabyte to parse: put into a page once, however often it is asked there. No page of ours has frames.
  const isThere = await page.evaluate(() => 'axe' in window)
  const axe = new AxeBuilder(isThere ? { page, axeSource: 'void 0' } : { page }).setLegacyMode()
  const runOnly = { type: 'tag' as const, values: TAGS }
  const { violations: found } = await axe.options({ runOnly, resultTypes: ['violations'] }).analyze()
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`)
}

/** Locale keys in the page's text. User text (scripts, outputs, file names) is in code and cells. */
async function rawKeys(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const found: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement
      if (
        !parent ||
        parent.closest('code, pre, td, th[scope="row"], dd, script, style, .cm-editor, [data-user-text]')
      )
        continue
      const text = (node.textContent ?? '').trim()
      if (text) found.push(text)
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]'))
      for (const name of ['aria-label', 'placeholder', 'title']) found.push(element.getAttribute(name) ?? '')
    return found
  })
  return texts.filter((text) => RAW_KEY.test(text) && !/\w+\.(test|com|org|local|mjs|sh|ps1)\b|\d/.test(text))
}

/** Adds axe's findings on the current page. */
export async function judge(page: Page, faults: string[], label: string): Promise<void> {
  for (const violation of await violations(page)) faults.push(`${label}: ${violation}`)
}

/** Words that are none, and a page wider than a phone. Neither hangs on the colors. */
export async function judgeWords(page: Page, faults: string[], label: string): Promise<void> {
  for (const key of await rawKeys(page)) faults.push(`${label}: raw key "${key}"`)
  await page.setViewportSize({ width: 390, height: 844 })
  const over = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  )
  if (over > 0) faults.push(`${label}: ${over} px wider than a 390 px screen`)
  await page.setViewportSize({ width: 1440, height: 900 })
}
