import type { Condition, Definition, Filter } from '@/resource/language/definition.generated'

/** The fields that a filter reads. */
export function filterFields(filter: Filter | undefined): string[] {
  return Object.entries(filter ?? {}).flatMap(([key, value]) =>
    key === '_and' || key === '_or' ? (value as Filter[]).flatMap(filterFields) : [key],
  )
}

/** The fields that the row rules of a definition read, so that lists and records request them. */
export function ruleFields({ rules }: Pick<Definition, 'rules'>): string[] {
  return [...new Set(Object.values(rules ?? {}).flatMap(filterFields))]
}

/** The other fields of the record that a value, a condition or a whole filter compares with, by `$record`. */
export function mentionedFields(value: unknown): string[] {
  const text = JSON.stringify(value ?? null)
  return [...text.matchAll(/\$record\.(\w+)/g)].flatMap(([, name]) => name ?? [])
}

/** A comparison with a field of a related record: `"_lte": "$record.license_id.seats"`. */
export interface RelatedComparison {
  operator: string
  /** The field that points at the record. */
  relation: string
  /** The field there. */
  name: string
}

/** The comparisons of a `check` with the record itself, and those with related records. */
export function splitCheck(check: Condition | undefined): { own: Condition; related: RelatedComparison[] } {
  const related: RelatedComparison[] = []
  const own = Object.entries(check ?? {}).filter(([operator, value]) => {
    const [, relation, name] = /^\$record\.(\w+)\.([\w.]+)$/.exec(String(value)) ?? []
    if (relation === undefined || name === undefined) return true
    related.push({ operator, relation, name })
    return false
  })
  return { own: Object.fromEntries(own), related }
}

/** The fields of related records that a `check` reads, by their dotted names. */
export function relatedNames(check: Condition | undefined): string[] {
  return splitCheck(check).related.map(({ relation, name }) => `${relation}.${name}`)
}
