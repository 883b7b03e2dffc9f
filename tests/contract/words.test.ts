import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Language } from '@/i18n/language'
import type { Definition } from '@/resource/language/definition.generated'
import { parseLines, readPolicies } from '../../scripts/policies/lines'
import { roleWordProblems } from '../../scripts/policies/words'
import { GLOSSARY_ROWS, OWN_NAMES } from '../support/own-resources'
import { resourceWords } from '../support/resource-words'

const root = fileURLToPath(new URL('../..', import.meta.url))

type Words = Map<string, string>

function flatten(value: unknown, path: string[] = []): [string, string][] {
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, inner]) => flatten(inner, [...path, key]))
  return [[path.join('.'), String(value)]]
}

/** `auth.json`, `resources/devices.json`: the files of a language from its folder. */
function filesOf(language: string): string[] {
  return readdirSync(join(root, 'locales', language), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll(sep, '/'))
    .filter((file) => file.endsWith('.json'))
    .sort()
}

/** No words where an added resource has no file in the language. */
function read(language: string, file: string): Words {
  const path = join(root, 'locales', language, file)
  return new Map(existsSync(path) ? flatten(JSON.parse(readFileSync(path, 'utf8'))) : [])
}

/** The texts of resources as the console reads them, by `<resource>.<key>`. */
const resourceTexts = (language: string): Words => new Map(flatten(resourceWords(language as Language)))

const FILES = filesOf('en')
const everyWord = (language: string) =>
  FILES.flatMap((file) => [...read(language, file)].map(([key, text]) => ({ at: `${file} ${key}`, text })))

/** An admin's own resource may lack texts in a language, which then are the English ones. */
const isOwn = (file: string) => {
  const [, resource] = /^resources\/(.+)\.json$/.exec(file) ?? []
  return resource === undefined || resource === '_shared' || OWN_NAMES.has(resource)
}
const OWN_FILES = FILES.filter(isOwn)

/** The parts that a text fills in or refers to: {{name}}, $t(key), <0>. A name may begin the text in one language alone. */
function slots(text: string): string[] {
  return (text.match(/\{\{[^}]*\}\}|\$t\([^)]*\)|<\/?\w+\/?>/g) ?? [])
    .map((slot) => slot.replaceAll(/\s|, inSentence/g, ''))
    .sort()
}

describe('texts', () => {
  it('have the same files in both languages', () => {
    expect(filesOf('tr').filter(isOwn)).toEqual(OWN_FILES)
    expect(OWN_FILES).toContain('resources/devices.json')
  })

  it.each(OWN_FILES)('%s has the same keys in both languages', (file) => {
    expect([...read('tr', file).keys()].sort()).toEqual([...read('en', file).keys()].sort())
  })

  it.each(FILES)('%s fills the same values into both languages', (file) => {
    const turkish = read('tr', file)
    const different = [...read('en', file)]
      // A singular may leave its number out in one language and say it in the other.
      .filter(([key]) => !key.endsWith('_one') && turkish.has(key))
      .filter(([key, text]) => String(slots(text)) !== String(slots(turkish.get(key) ?? '')))
      .map(([key]) => key)
    expect(different).toEqual([])
  })

  it('are never empty', () => {
    const wrong = ['en', 'tr'].flatMap((language) =>
      everyWord(language).filter(({ text }) => text.trim() === ''),
    )
    expect(wrong).toEqual([])
  })

  it('have a plural wherever they have a singular', () => {
    const lonely = ['en', 'tr'].flatMap((language) =>
      FILES.flatMap((file) => {
        const keys = read(language, file)
        return [...keys.keys()].filter(
          (key) => key.endsWith('_one') && !keys.has(key.replace(/_one$/, '_other')),
        )
      }),
    )
    expect(lonely).toEqual([])
  })
})

describe('Turkish', () => {
  // Parts that are filled in and addresses are left out: neither is Turkish.
  const english = new Map(everyWord('en').map(({ at, text }) => [at, text]))
  const isTranslated = ({ at, text }: { at: string; text: string }) => {
    const [file = ''] = at.split(' ')
    return isOwn(file) || text !== english.get(at)
  }
  const turkish = everyWord('tr')
    .filter(isTranslated)
    .map(({ at, text }) => ({
      at,
      text: text.normalize('NFC').replaceAll(/\{\{[^}]*\}\}|\S+@\S+|https?:\S+/g, ''),
    }))

  /** Common words as they look when typed without the Turkish letters; none of them is a word by itself. */
  const MISSPELLED =
    /(?<!\p{L})(?:(?:sifre|kullanici|sirket|surum|baslat|baslik|calis|yonet|duzenle|olustur|guncel|gonder|lutfen|basari|giris|cikis|baglanti|yukle|acik|degil|degis|gorev|gorun|gecmis|gecer|uyari|turkce|guvenli|secim|vazgec|cevrim|islem|isletim|yazilim|suresi|ozet|aciklama|henuz|kayit|satir|sutun)|(?:kapali|icin|bos|tum|sec|gun|adi|hic)(?!\p{L}))/iu
  it('is written with its own letters', () => {
    expect(turkish.filter(({ text }) => MISSPELLED.test(text))).toEqual([])
  })

  /** A thing has one word: the one the product calls it by, beside those it is not called by. */
  const GLOSSARY: [term: string, not: RegExp][] = [
    ['betik', /(?<!\p{L})(script|skript|prosedür)/iu],
    ['izleyici', /(?<!\p{L})monitör/iu],
    ['cihaz', /(?<!\p{L})(aygıt|device)/iu],
    ['şifre', /(?<!\p{L})(parola|password)/iu],
    ['lisans', /(?<!\p{L})licen[cs]e/iu],
    ['belirteç', /(?<!\p{L})(token|jeton)/iu],
    ['yayıncı', /(?<!\p{L})yayımcı/iu],
    ['kontrol paneli', /(?<!\p{L})gösterge paneli/iu],
    ['tür', /(?<!\p{L})çeşit/iu],
  ]
  it.each(GLOSSARY)('says "%s" for it everywhere', (_term, not) => {
    expect(turkish.filter(({ text }) => not.test(text))).toEqual([])
  })

  it('is Turkish: sentences are not the English ones', () => {
    const same = turkish.filter(
      ({ at, text }) => english.get(at) === text && /[a-z]+ [a-z]+ [a-z]+/i.test(text),
    )
    expect(same).toEqual([])
  })
})

describe('what permissions speak of has words', () => {
  it('every role', () => {
    expect(roleWordProblems(root, readPolicies(root))).toEqual([])
    const [problem] = roleWordProblems(root, parseLines('auditor.csv', '# audits\ng, Auditor, Teknik'))
    expect(problem).toEqual({
      file: 'policies/auditor.csv',
      line: 2,
      message: 'no English word for the role `Auditor`',
      hint: 'Add `values.Auditor` to locales/en/resources/_shared.json.',
    })
  })

  it('every action that calls a function, for what it did', () => {
    const folder = join(root, 'resources')
    const asked = readdirSync(folder)
      .filter((file) => file.endsWith('.json') && !file.endsWith('.schema.json'))
      .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Definition)
      .filter(({ name }) => OWN_NAMES.has(name))
      .flatMap(({ name, actions = {} }) =>
        Object.entries(actions).flatMap(([action, { component }]) =>
          component ? [] : [`${name}.done.${action}_one`, `${name}.done.${action}_other`],
        ),
      )
    expect(asked).toContain('tickets.done.resolve_one')
    for (const language of ['en', 'tr'])
      expect([...resourceTexts(language).keys()]).toEqual(expect.arrayContaining(asked))
  })

  it('every reason for a refusal', () => {
    for (const language of ['en', 'tr'])
      expect([...read(language, 'access.json').keys()]).toEqual(
        expect.arrayContaining(['role', 'read-only', 'without-pro'].map((reason) => `reasons.${reason}`)),
      )
  })
})

describe('docs/glossary.md', () => {
  const termFor = (name: string) => {
    const [, en, tr] = GLOSSARY_ROWS.find((cells) => cells[3] === `\`${name}\``) ?? []
    return { en, tr }
  }
  const [english, turkish] = ['en', 'tr'].map((language) => ({
    resources: resourceTexts(language),
    shell: read(language, 'shell.json'),
  }))

  it.each(
    [...(english?.resources.keys() ?? [])]
      .filter((key) => /^\w+\.one$/.test(key))
      .map((key) => key.split('.')[0] ?? '')
      .filter((name) => OWN_NAMES.has(name)),
  )('has the name of one record of %s', (name) => {
    const label = { en: english?.resources.get(`${name}.one`), tr: turkish?.resources.get(`${name}.one`) }
    expect(termFor(name)).toEqual(label)
  })

  it.each(['dashboard', 'customCommands', 'settings', 'systemLicense', 'templateManager', 'ticketSettings'])(
    'has the title of the page %s',
    (name) => {
      const title = { en: english?.shell.get(`titles.${name}`), tr: turkish?.shell.get(`titles.${name}`) }
      expect(termFor(name)).toEqual(title)
    },
  )
})
