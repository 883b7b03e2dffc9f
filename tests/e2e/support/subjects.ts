import type { Browser, Locator, Page } from '@playwright/test'
import type { Home } from './added'
import type { Api, Row } from './api'
import { type Language, putSession, setLanguage, unique } from './test'
import { sayer } from './words'

// The engine alone makes a list quick to work in: the tests see it on a resource that an administrator
// has just added, and on one that nothing was built for.

interface Subject {
  resource: string
  path: string
  /** Where it is seen. */
  home: Home
  /** The list's title and main column, a text that is no column to sort by, and a choice that filters. */
  key: string
  text: string
  choice: { field: string; usual: string; other: string }
  /** The cells that can be edited from its main column to the text. */
  cells: readonly string[]
  /** The page's actions in addition to the common parts, by label in each language. */
  action?: { words: Record<Language, string>; change: Row }
  row: (name: string, rest?: Row) => Row
  titleOf: (name: string) => string
  words: Record<
    Language,
    { one: string; many: string; key: string; text: string; choice: string; other: string }
  >
}

const SUBJECTS: Subject[] = [
  {
    resource: 'printers',
    path: '/printers',
    home: 'printers',
    key: 'serial',
    text: 'model',
    choice: { field: 'status', usual: 'active', other: 'repair' },
    cells: ['model'],
    action: { words: { en: 'Retire', tr: 'Kullanımdan kaldır' }, change: { status: 'retired' } },
    row: (serial, rest = {}) => ({ serial, ...rest }),
    titleOf: (serial) => serial,
    words: {
      en: {
        one: 'Printer',
        many: 'Printers',
        key: 'Serial',
        text: 'Model',
        choice: 'Status',
        other: 'Repair',
      },
      tr: {
        one: 'Yazıcı',
        many: 'Yazıcılar',
        key: 'Seri numarası',
        text: 'Model',
        choice: 'Durum',
        other: 'Onarımda',
      },
    },
  },
  {
    resource: 'corporate_apps',
    path: '/corporate-apps',
    home: 'suite',
    key: 'name',
    text: 'publisher',
    choice: { field: 'platform', usual: 'windows', other: 'linux' },
    cells: ['package_version', 'publisher'],
    row: (name, rest = {}) => ({
      name,
      package_version: '1.0',
      source_url: 'https://packages.example.test/a.msi',
      sha256: '0'.repeat(64),
      ...rest,
    }),
    titleOf: (name) => `${name} 1.0`,
    words: {
      en: {
        one: 'Corporate app',
        many: 'Corporate apps',
        key: 'Name',
        text: 'Publisher',
        choice: 'Platform',
        other: 'Linux',
      },
      tr: {
        one: 'Kurumsal uygulama',
        many: 'Kurumsal uygulamalar',
        key: 'Ad',
        text: 'Yayıncı',
        choice: 'Platform',
        other: 'Linux',
      },
    },
  },
]

/** Each feature has a spec on a list of its own; THOROUGH=1 shows all of them on these lists too, in both languages. */
const PAIRS: Readonly<Record<string, readonly Language[]>> =
  process.env.THOROUGH === '1' ? { printers: ['en', 'tr'], corporate_apps: ['en', 'tr'] } : {}

/** The values that the tests of a subject in a language need. */
export const COMBINATIONS = SUBJECTS.flatMap((subject) =>
  (PAIRS[subject.resource] ?? []).map((language) => ({
    subject,
    language,
    words: subject.words[language],
    say: sayer(language),
    name: `${subject.resource} in ${language === 'en' ? 'English' : 'Turkish'}`,
  })),
)

export const main = (page: Page): Locator => page.getByRole('main')
export const field = (page: Page, label: string): Locator =>
  main(page).getByRole('textbox', { name: new RegExp(`${label}$`) })

export const searchOf = (word: string): string => `?q=${encodeURIComponent(word)}`

/** Rows that one word finds, named by it and their place. */
export async function makeRows(
  api: Api,
  subject: Subject,
  count: number,
  rest: (place: number) => Row = () => ({}),
): Promise<{ word: string; ids: string[] }> {
  const word = unique('Işık').replace(' ', '')
  const ids: string[] = []
  for (let place = 1; place <= count; place++) {
    const row = subject.row(`${word} ${String(place).padStart(2, '0')}`, rest(place))
    ids.push((await api.create(subject.resource, row)).id)
  }
  return { word, ids }
}

/** Another session, of the same person or of somebody else, at an address. */
export async function openOther(
  browser: Browser,
  url: string,
  email: string,
  { language, at }: { language: Language; at: string },
): Promise<Page> {
  const context = await browser.newContext({ baseURL: url })
  const page = await context.newPage()
  await setLanguage(page, language)
  await putSession(page, url, email)
  await page.goto(at)
  return page
}
