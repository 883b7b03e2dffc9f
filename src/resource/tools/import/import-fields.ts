import { fold } from '@/i18n/fold'
import { editableFields, kindOf } from '@/resource/fields/kinds'
import { targetOf } from '@/resource/fields/related-field'
import type { Definition, Field } from '@/resource/language/definition.generated'
import type { FindDefinition } from '@/resource/language/entry'
import { canCreate, canEdit, canImport } from '@/resource/language/naming'
import { titleFields } from '@/resource/request/query/title'

const MODES = ['upsert', 'insert', 'update'] as const
export type ImportMode = (typeof MODES)[number]

/** The modes of import for a resource; empty where none is offered. */
export function importModes(definition: Definition): ImportMode[] {
  if (!canImport(definition)) return []
  if (canCreate(definition)) return canEdit(definition) ? [...MODES] : ['insert']
  return canEdit(definition) ? ['update'] : []
}

/** The one field of the target that names its records: what a file says instead of a key. Null when there is none. */
export function lookupField(field: Field, find: FindDefinition): string | null {
  const target = find(targetOf(field) ?? '')
  const [only, second] = target ? titleFields(target) : []
  if (!target || only === undefined || second !== undefined) return null
  return target.fields[only]?.type === 'text' && !target.fields[only]?.from ? only : null
}

/** The fields that a file can fill in: columns that this person may write, in one cell each. */
export function importFields(
  definition: Definition,
  refused: ReadonlySet<string>,
  find: FindDefinition,
): string[] {
  return editableFields(definition).filter((name) => {
    const field = definition.fields[name]
    if (!field || refused.has(name) || name === 'company_id' || field.type === 'rows') return false
    const { detached, isUpload } = kindOf(field.type)
    if (detached === true || isUpload === true) return false
    return targetOf(field) === null || lookupField(field, find) !== null
  })
}

export function canBeKey(field: Field | undefined): boolean {
  return field !== undefined && kindOf(field.type).isKey === true
}

/** The fields that decide whether a record exists already, unless somebody chooses others: those of the title. */
export function defaultKeys(definition: Definition, mapped: readonly string[]): string[] {
  const title = titleFields(definition).filter((name) => canBeKey(definition.fields[name]))
  return title.every((name) => mapped.includes(name)) ? title : []
}

function hasDefault(field: Field): boolean {
  return 'default' in field && field.default !== undefined
}

/** Required fields that no column fills in, without which nothing new can be made. */
export function missingFields(definition: Definition, mapped: readonly string[]): string[] {
  return editableFields(definition).filter((name) => {
    const field = definition.fields[name]
    if (!field?.required || field.when || name === 'company_id' || mapped.includes(name)) return false
    return !hasDefault(field) && kindOf(field.type).empty === undefined
  })
}

/** The column titles that match a field: its name, and its labels in each language. */
export interface FieldNames {
  field: string
  names: string[]
}

/** Letters and figures only: `Son kullanma`, `son_kullanma` and `SON KULLANMA ` are one. */
function bare(text: string): string {
  return fold(text)
    .replace(/[^\p{L}\p{N}%]+/gu, ' ')
    .trim()
}

/** Our own export writes units behind the label: `Cost (TRY)`. */
function withoutUnit(title: string): string {
  return title.replace(/\s*[([][^()[\]]*[)\]]\s*$/, '')
}

/**
 * The field of each column, by its title; null for a column that is left out. A field is filled by one column only, the
 * first that names it: an exact name goes before one without its unit.
 */
export function matchColumns(titles: readonly string[], fields: readonly FieldNames[]): (string | null)[] {
  const taken = new Set<string>()
  const found: (string | null)[] = titles.map(() => null)
  for (const read of [bare, (title: string) => bare(withoutUnit(title))]) {
    for (const [index, title] of titles.entries()) {
      const wanted = read(title)
      if (found[index] !== null || wanted === '') continue
      const match = fields.find(
        ({ field, names }) => !taken.has(field) && [field, ...names].some((name) => bare(name) === wanted),
      )
      if (!match) continue
      found[index] = match.field
      taken.add(match.field)
    }
  }
  return found
}
