import type { Definition, Field } from '@/resource/definition/definition.generated'

type Language = 'en' | 'tr'

/** One and many. */
export type Nouns = readonly [string, string]

export interface ResourceWords {
  one: string
  many: string
  fields?: Record<string, string>
  values?: Record<string, Record<string, string>>
  empty: string
}

/** Turkish for words that fields and values are commonly called. */
const TURKISH: Record<string, string> = {
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
}

/** What the console would show for a bare name. */
export function humanize(name: string): string {
  const text = name
    .replace(/_id$/, '')
    .replaceAll('_', ' ')
    .replace(/\b(ip|mac|url|id|cpu|os)\b/g, (word) => word.toUpperCase())
  return text.charAt(0).toLocaleUpperCase('en') + text.slice(1)
}

export function nounsOf(text: string | undefined): Nouns | null {
  const [one, many] = (text ?? '').split('/').map((part) => part.trim())
  return one && many ? [one, many] : null
}

interface Asked {
  definition: Definition
  singular: string
  labels: Partial<Record<Language, Nouns>>
  /** Words that stand in `locales/` already: of other resources, and those that all share. */
  known: Record<Language, unknown>
}

function at(words: unknown, ...path: string[]): string | undefined {
  const found = path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    words,
  )
  return typeof found === 'string' ? found : undefined
}

/** The words of a new resource, and the Turkish ones that are still English. */
export function wordsOf({
  definition,
  singular,
  labels,
  known,
}: Asked): Record<Language, ResourceWords> & { missing: string[] } {
  const missing: string[] = []
  const english: Nouns = labels.en ?? [humanize(singular), humanize(definition.name)]
  const turkish: Nouns = labels.tr ?? english
  if (!labels.tr) missing.push(`${definition.name}.one`, `${definition.name}.many`)

  const label = (language: Language, name: string, field: Field): string => {
    if (field.type === 'relation' || field.type === 'many-to-many') {
      const target = at(known[language], field.to, field.type === 'relation' ? 'one' : 'many')
      if (
        target &&
        name.replace(/_id$/, '') === (field.type === 'relation' ? field.to.replace(/s$/, '') : field.to)
      )
        return target
    }
    const own = TURKISH[name] ?? TURKISH[name.replace(/_id$/, '')]
    if (language === 'tr' && own) return own
    if (language === 'tr') missing.push(`${definition.name}.fields.${name}`)
    return humanize(name)
  }
  const value = (language: Language, field: string, name: string): string => {
    if (language === 'en') return humanize(name)
    const own = TURKISH[name.toLowerCase()]
    if (!own) missing.push(`${definition.name}.values.${field}.${name}`)
    return own ?? humanize(name)
  }
  const build = (language: Language, [one, many]: Nouns): ResourceWords => {
    const fields = Object.entries(definition.fields).filter(
      ([name]) => at(known[language], '_shared', 'fields', name) === undefined,
    )
    const enums = Object.entries(definition.fields).flatMap(([name, field]) =>
      field.type === 'enum' ? [[name, Object.keys(field.values)] as const] : [],
    )
    return {
      one,
      many,
      fields: Object.fromEntries(fields.map(([name, field]) => [name, label(language, name, field)])),
      ...(enums.length > 0
        ? {
            values: Object.fromEntries(
              enums.map(([name, values]) => [
                name,
                Object.fromEntries(values.map((each) => [each, value(language, name, each)])),
              ]),
            ),
          }
        : {}),
      empty: language === 'tr' ? 'Henüz kayıt yok.' : `No ${many.toLocaleLowerCase('en')} yet.`,
    }
  }
  return { en: build('en', english), tr: build('tr', turkish), missing }
}

/** Puts a resource's words behind the last one, leaving every other line as it stands. */
export function withWords(file: string, resource: string, words: ResourceWords): string {
  const block = JSON.stringify({ [resource]: words }, null, 2).slice(2, -2)
  return file.replace(/\s*\}\s*$/, `,\n${block}\n}\n`)
}
