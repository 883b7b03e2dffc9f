import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import { checkRows, type ImportPlan } from '@/resource/tools/import/check-rows'
import type { Cell } from '@/resource/tools/import/file-table'

const vendors: Definition = { name: 'vendors', title: '{name}', fields: { name: { type: 'text' } } }
export const apps: Definition = {
  name: 'apps',
  title: '{name} {version}',
  fields: { name: { type: 'text' }, version: { type: 'text' } },
}
/** Fields of the kinds that a file can fill in, and of those that it cannot. */
export const licenses: Definition = {
  name: 'licenses',
  title: '{name}',
  fields: {
    name: { type: 'text', required: true, max_length: 20, search: true },
    vendor_id: { type: 'relation', to: 'vendors', required: true },
    app_id: { type: 'relation', to: 'apps' },
    type: { type: 'enum', required: true, values: { device: 'blue', site: 'cyan' }, default: 'device' },
    seats: { type: 'number', required: true, min: 1, max: 5000, default: 1 },
    cost: { type: 'money', currency: '$record.currency', min: 0 },
    currency: { type: 'enum', values: { TRY: 'default', EUR: 'default' } },
    active: { type: 'boolean' },
    contact: { type: 'email' },
    bought_on: { type: 'date' },
    ends_on: { type: 'date', check: { _gte: '$record.bought_on' } },
    reason: { type: 'textarea', when: { type: { _eq: 'site' } } },
    tags: { type: 'tags' },
    detected: { type: 'number', readonly: true },
    titles: { type: 'many-to-many', to: 'apps', through: 'x', near: 'a', far: 'b' },
    steps: { type: 'rows', fields: { name: { type: 'text' } } },
    secret: { type: 'text', guard: { write: { object: 'licenses', verb: 'approve' } } },
    company_id: { type: 'relation', to: 'companies', required: true },
  },
}
export const find = (name: string) => ({ vendors, apps, licenses })[name] ?? null

export const TURKISH: Record<string, string> = { device: 'Cihaz', site: 'Yerleşke' }
const speak = (value: (field: string, value: string) => string) => ({ value }) as unknown as ResourceWords
/** English and Turkish: a file may be written in either. */
const words = [
  speak((_field, value) => value.charAt(0).toUpperCase() + value.slice(1)),
  speak((_field, value) => TURKISH[value] ?? value),
]
export const plan: ImportPlan = {
  columns: [],
  mode: 'upsert',
  keys: [],
  clears: false,
  forms: { number: 'comma', date: 'day' },
}

/** Rows of a file under these columns, its first line their titles, as `checkRows` gives them. */
export async function check(header: (string | null)[], rows: Cell[][], change: Partial<ImportPlan> = {}) {
  return checkRows({
    definition: licenses,
    plan: { ...plan, columns: header, ...change },
    table: {
      titles: header.map(String),
      rows: rows.map((cells, index) => ({ line: index + 2, cells })),
      formulas: { count: 0, places: [] },
    },
    words,
    scope: {},
    isStopped: () => false,
  })
}
