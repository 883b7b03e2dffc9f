import type { Row } from '@/data/rows'
import { FieldCell } from '@/resource/fields/cells'
import { kindOf } from '@/resource/fields/kinds'
import type { Definition, Field, Sections } from '@/resource/language/definition.generated'
import { showOf } from '@/resource/language/naming'
import { useWords } from '@/resource/language/words'
import { choicesOf } from '@/resource/request/filter/from-url'
import type { FilterScope } from '@/resource/request/filter/scope'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { readValue } from '@/resource/request/query/values'
import { isBlank, isShown } from '@/resource/screens/form/check-record'

/** The overview's sections; without any, one with every field. */
export function showSections(definition: Definition): Sections {
  const sections = showOf(definition)?.sections
  return sections ?? { main: Object.keys(definition.fields).filter((name) => name !== 'company_id') }
}

export const hasSide = (definition: Definition): boolean => showOf(definition)?.side !== undefined

export function shownNames(
  definition: Definition,
  rows: readonly string[],
  record: Row,
  scope: FilterScope,
): string[] {
  return rows
    .flatMap((row) => row.split(/\s+/))
    .filter((name) => definition.fields[name] && isShown(definition, name, record, scope))
    .filter((name) => !isLeftOut(definition.fields[name], record[name]))
}

/** Whether the kind says nothing while its value is empty. */
function isLeftOut(field: Field | undefined, value: unknown): boolean {
  if (!field || kindOf(field.type).hidesEmpty !== true) return false
  return isBlank(value) || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
}

export interface SummaryField {
  name: string
  field: Field
  value: unknown
  /** A number or a yes says nothing without the name of its field; a choice and another record do. */
  isLabeled: boolean
}

/** The values beside the title. An empty one is left out. */
export function summaryFields(definition: Definition, record: Row, scope: FilterScope): SummaryField[] {
  return (showOf(definition)?.summary ?? []).flatMap((name) => {
    const field = definition.fields[name]
    const value = readValue(record, name, field)
    if (!field || !isShown(definition, name, record, scope) || isBlank(value)) return []
    const isNamed = choicesOf(field).isClosed || kindOf(field.type).target !== undefined
    return [{ name, field, value, isLabeled: !isNamed }]
  })
}

/** Whether any field of the sections is shown for the record. */
export function hasSections(
  definition: Definition,
  sections: Sections,
  record: Row,
  scope: FilterScope,
): boolean {
  return Object.values(sections).some((rows) => shownNames(definition, rows, record, scope).length > 0)
}

interface ShowSectionsProps {
  definition: Definition
  sections: Sections
  record: Row
}

export function ShowSections({ definition, sections, record }: ShowSectionsProps) {
  const words = useWords(definition)
  const { filter } = useResourceScope()
  return (
    <div className="k-sections">
      {Object.entries(sections).map(([section, rows]) => {
        const names = shownNames(definition, rows, record, filter)
        if (names.length === 0) return null
        return (
          <section key={section} className="k-section" data-wide={isWide(definition, names)}>
            <h3>{words.section(section)}</h3>
            <dl data-single={names.length === 1 && words.field(names[0] ?? '') === words.section(section)}>
              {names.map((name) => (
                <ShowField
                  key={name}
                  definition={definition}
                  name={name}
                  record={record}
                  label={words.field(name)}
                />
              ))}
            </dl>
          </section>
        )
      })}
    </div>
  )
}

/** Code, changes and inner tables need the whole width; facts share it. */
function isWide(definition: Definition, names: readonly string[]): boolean {
  return names.some((name) => {
    const field = definition.fields[name]
    return field !== undefined && kindOf(field.type).widensSection === true
  })
}

interface ShowFieldProps {
  definition: Definition
  name: string
  record: Row
  label: string
}

export function ShowField({ definition, name, record, label }: ShowFieldProps) {
  const field = definition.fields[name]
  if (!field) return null
  return (
    <div className="k-fact" data-wide={kindOf(field.type).wide === true}>
      <dt>{label}</dt>
      <dd>
        <FieldCell
          value={readValue(record, name, field)}
          field={field}
          name={name}
          resource={definition.name}
          row={record}
          dense={false}
        />
      </dd>
    </div>
  )
}
