import { LANGUAGES, type Language } from '@/i18n/language'
import { ownField } from '@/resource/fields/related-field'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { singularOf } from '@/resource/language/naming'
import { missingWords } from './check-words'
import { type ResourceWordFiles, wordAt, wordFile, wordPlace } from './word-files'

/** The singular and the plural. */
export type Nouns = readonly [string, string]

/** The names of a resource by language. */
export type Labels = Partial<Record<Language, Nouns>>

/** Turkish for words that fields and values are commonly called. */
const TURKISH = new Map(
  Object.entries({
    active: 'Etkin',
    address: 'Adres',
    amount: 'Tutar',
    approved: 'Onaylandı',
    assignee: 'Sorumlu',
    author: 'Yazar',
    bought_on: 'Satın alma',
    brand: 'Marka',
    broken: 'Bozuk',
    budget: 'Bütçe',
    capacity: 'Kapasite',
    category: 'Kategori',
    city: 'Şehir',
    closed: 'Kapalı',
    code: 'Kod',
    color: 'Renk',
    company: 'Şirket',
    contact: 'İlgili kişi',
    cost: 'Maliyet',
    count: 'Adet',
    country: 'Ülke',
    currency: 'Para birimi',
    date: 'Tarih',
    department: 'Bölüm',
    description: 'Açıklama',
    device: 'Cihaz',
    disabled: 'Devre dışı',
    done: 'Tamamlandı',
    draft: 'Taslak',
    due_on: 'Son tarih',
    email: 'E-posta',
    enabled: 'Etkin',
    ends_on: 'Bitiş',
    expires_on: 'Geçerlilik bitişi',
    floor: 'Kat',
    group: 'Grup',
    high: 'Yüksek',
    image: 'Görsel',
    in_use: 'Kullanımda',
    inactive: 'Etkin değil',
    ip: 'IP adresi',
    ip_address: 'IP adresi',
    kind: 'Tür',
    label: 'Etiket',
    language: 'Dil',
    location: 'Konum',
    lost: 'Kayıp',
    low: 'Düşük',
    mac: 'MAC adresi',
    manager: 'Yönetici',
    maker: 'Üretici',
    manufacturer: 'Üretici',
    model: 'Model',
    name: 'Ad',
    new: 'Yeni',
    normal: 'Normal',
    note: 'Not',
    notes: 'Notlar',
    number: 'Numara',
    open: 'Açık',
    order_number: 'Sipariş numarası',
    owner: 'Sahibi',
    paid: 'Ödendi',
    pending: 'Bekliyor',
    phone: 'Telefon',
    price: 'Fiyat',
    priority: 'Öncelik',
    purchased_on: 'Satın alma',
    quantity: 'Miktar',
    rejected: 'Reddedildi',
    repair: 'Onarımda',
    reason: 'Neden',
    retired: 'Kullanım dışı',
    room: 'Oda',
    serial: 'Seri numarası',
    serial_number: 'Seri numarası',
    size: 'Boyut',
    spare: 'Yedek',
    starts_on: 'Başlangıç',
    state: 'Durum',
    status: 'Durum',
    stock: 'Stok',
    subject: 'Konu',
    supplier: 'Tedarikçi',
    tags: 'Etiketler',
    time_zone: 'Saat dilimi',
    timezone: 'Saat dilimi',
    title: 'Başlık',
    type: 'Tür',
    url: 'Adres',
    urgent: 'Acil',
    user: 'Kullanıcı',
    vendor: 'Tedarikçi',
    version: 'Sürüm',
    warranty: 'Garanti',
    warranty_until: 'Garanti bitişi',
    website: 'Web sitesi',
  }),
)

/** The text that the console would show for a bare name. */
export function humanize(name: string): string {
  const text = name
    .replace(/_id$/, '')
    .replaceAll('_', ' ')
    .replace(/\b(ip|mac|url|id|cpu|os)\b/g, (word) => word.toUpperCase())
  return text.charAt(0).toLocaleUpperCase('en') + text.slice(1)
}

function nounsOf(text: string | undefined): Nouns | null {
  const [one, many] = (text ?? '').split('/').map((part) => part.trim())
  return one && many ? [one, many] : null
}

/** Labels as the command line gives them: `Printer/Printers`. */
export function labelsOf({ label, labelTr }: { label?: string; labelTr?: string }): Labels {
  const [en, tr] = [nounsOf(label), nounsOf(labelTr)]
  return { ...(en ? { en } : {}), ...(tr ? { tr } : {}) }
}

function at(words: unknown, ...path: string[]): string | undefined {
  const found = wordAt(words, path)
  return typeof found === 'string' ? found : undefined
}

function put(words: Record<string, unknown>, [key = '', ...rest]: readonly string[], text: string): void {
  if (rest.length === 0) {
    words[key] = text
    return
  }
  const inner = wordAt(words, [key])
  const next = typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : {}
  words[key] = next
  put(next, rest, text)
}

/** A relation is called after what it points at, unless its name says something else. */
function relationWord(name: string, field: Field | undefined, words: unknown): string | undefined {
  if (field?.type === 'many-to-many') return name === field.to ? at(words, field.to, 'many') : undefined
  if (field?.type !== 'relation') return undefined
  return name === `${singularOf({ name: field.to })}_id` ? at(words, field.to, 'one') : undefined
}

export interface FilledWords {
  /** The texts of all files as they should be. */
  words: ResourceWordFiles
  /** Paths of Turkish words that are still English. */
  untranslated: string[][]
}

/** Removes the texts of fields that are gone. */
function removeTexts(words: ResourceWordFiles, resource: string, gone: readonly string[]): void {
  for (const language of LANGUAGES) {
    const own = words[language][resource] as Record<string, Record<string, unknown>> | undefined
    const found = ['fields', 'help', 'values'].flatMap((group) =>
      gone
        .filter((name) => own?.[group] && Object.hasOwn(own[group], name))
        .map((name) => [group, name] as const),
    )
    for (const [group, name] of found) {
      delete own?.[group]?.[name]
      if (own?.[group] && Object.keys(own[group]).length === 0) delete own[group]
    }
  }
}

/** Words for whatever a definition lacks them for: as good as a name tells, for people to better. */
export function fillWords(
  definition: Definition,
  known: ResourceWordFiles,
  labels: Labels = {},
  /** Fields whose texts go. */
  gone: readonly string[] = [],
): FilledWords {
  const words = structuredClone(known)
  const untranslated: string[][] = []
  removeTexts(words, definition.name, gone)
  const english: Nouns = labels.en ?? [humanize(singularOf(definition)), humanize(definition.name)]
  for (const { language, path } of missingWords(definition, known)) {
    const last = path.at(-1) ?? ''
    const noun = path.length === 2 && (last === 'one' || last === 'many') ? Number(last === 'many') : null
    const own =
      noun === null
        ? (relationWord(
            last,
            path[1] === 'fields' ? ownField(definition, last) : undefined,
            words[language],
          ) ??
          (language === 'tr'
            ? (TURKISH.get(last.toLowerCase()) ?? TURKISH.get(last.replace(/_id$/, '')))
            : humanize(last)))
        : (labels[language]?.[noun] ?? (language === 'en' ? english[noun] : undefined))
    if (own === undefined) untranslated.push(path)
    put(words[language], path, own ?? (noun === null ? humanize(last) : english[noun]) ?? last)
  }
  return { words, untranslated }
}

const MAX_TOLD = 10

/** A line for each file with texts that are left to a translator. */
export function tellUntranslated({ untranslated }: Pick<FilledWords, 'untranslated'>): string[] {
  const resources = [...new Set(untranslated.map(([resource = '']) => resource))]
  return resources.map((resource) => {
    const keys = untranslated.filter(([first]) => first === resource).map((path) => wordPlace('tr', path).key)
    const more = keys.length - MAX_TOLD
    const told = keys.slice(0, MAX_TOLD).join(', ')
    return `Still in English in ${wordFile('tr', resource)}: ${told}${more > 0 ? ` … and ${more} more` : ''}`
  })
}
