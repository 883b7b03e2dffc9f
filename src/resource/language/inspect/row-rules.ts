import { kindOf } from '@/resource/fields/kinds'
import { ownField } from '@/resource/fields/related-field'
import type { Condition, Definition, Field, Filter } from '@/resource/language/definition.generated'
import { GIVEN, type Inspection } from '@/resource/language/inspect/inspection'
import { tableOf } from '@/resource/language/naming'
import { isOfPeople } from '@/resource/request/filter/where'

/** Operators that PostgreSQL lets reach an index below row-level security: the others are not leakproof. */
const LEAKPROOF = ['_eq', '_neq', '_lt', '_lte', '_gt', '_gte', '_in', '_nin', '_null']
/** Column types that compare by leakproof operators; `numeric` does not. */
const COMPARABLE = /^(?:uuid|text|int\d|bool|date|timestamptz)$/

/** Whether the column of the field is of a type that an index answers for below row-level security. */
function isComparable(field: Field): boolean {
  const { columns, detached, derived, isLarge, isList } = kindOf(field.type)
  const isDecimal = 'decimals' in field && (field.decimals ?? 0) > 0
  return (
    !(field.from || field.guard?.read || detached || derived || isLarge || isList || isDecimal) &&
    columns.some((type) => COMPARABLE.test(type))
  )
}

const isLinkToPeople = (field: Field): boolean => field.type === 'many-to-many' && field.to === 'users'

function inspectValue(inspection: Inspection, pointer: string, field: Field | undefined, value: unknown) {
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item !== 'string' || !item.startsWith('$')) continue
    if (item !== '$user')
      inspection.add(
        pointer,
        `a row rule cannot ask for \`${item}\`: it is asked once for all rows`,
        'Use `$user` or a fixed value.',
      )
    else if (field && !isOfPeople(field))
      inspection.add(pointer, `\`$user\` compares with a field of people, not with \`${field.type}\``)
  }
}

function inspectCondition(
  inspection: Inspection,
  pointer: string,
  name: string,
  condition: Condition,
): boolean {
  const field = ownField(inspection.definition, name)
  const isGiven = GIVEN.includes(name)
  if (!field && !isGiven) return true
  if (field && isLinkToPeople(field)) {
    const isOwn = Object.entries(condition).every(
      ([operator, value]) => operator === '_contains' && value === '$user',
    )
    if (!isOwn)
      inspection.add(
        pointer,
        `a rule asks a field of people only whether it contains the user`,
        'Write `{ "_contains": "$user" }`.',
      )
    return true
  }
  if (field && !isComparable(field)) {
    inspection.add(
      pointer,
      `row-level security cannot compare \`${name}\`, which is \`${field.type}\`${field.guard?.read ? ' and hidden' : ''}, by an index`,
      'Name a person, a relation, a choice, a text, a whole number or a time that is a column of the table.',
    )
    return true
  }
  let isIndexed = false
  for (const [operator, value] of Object.entries(condition)) {
    if (!LEAKPROOF.includes(operator))
      inspection.add(
        `${pointer}/${operator}`,
        `\`${operator}\` is not leakproof, so PostgreSQL would compare every row of the table`,
        `Use one of ${LEAKPROOF.map((each) => `\`${each}\``).join(', ')}.`,
      )
    inspectValue(inspection, `${pointer}/${operator}`, field, value)
    if ((operator === '_eq' || operator === '_in') && value !== null) isIndexed = true
  }
  return isIndexed
}

/** Whether an index can answer the filter: in each branch one comparison that is an index condition. */
function inspectFilter(inspection: Inspection, pointer: string, filter: Filter): boolean {
  let isIndexed = false
  for (const [key, value] of Object.entries(filter)) {
    const place = `${pointer}/${key}`
    if (key === '_and' || key === '_or') {
      const inner = (value as Filter[]).map((each, index) =>
        inspectFilter(inspection, `${place}/${index}`, each),
      )
      if (key === '_or' ? inner.every(Boolean) : inner.some(Boolean)) isIndexed = true
    } else if (inspectCondition(inspection, place, key, value as Condition)) isIndexed = true
  }
  return isIndexed
}

/** The conditions that the filter language has everywhere: that of a link to people is for row rules alone. */
function withoutLinks(definition: Definition, filter: Filter): Filter {
  return Object.fromEntries(
    Object.entries(filter).flatMap(([key, value]): [string, Filter[string]][] => {
      if (key === '_and' || key === '_or')
        return [[key, (value as Filter[]).map((each) => withoutLinks(definition, each))]]
      const field = ownField(definition, key)
      return field && isLinkToPeople(field) ? [] : [[key, value]]
    }),
  )
}

/** The row rules of a definition: what PostgreSQL can hold without reading the whole table. */
export function inspectRowRules(inspection: Inspection, definition: Definition): void {
  for (const [name, filter] of Object.entries(definition.rules ?? {})) {
    const pointer = `/rules/${name}`
    if (definition.view || tableOf(definition) !== definition.name) {
      inspection.add(
        pointer,
        'row rules are held by the table of the resource, which has none of its own name',
        'Remove `rules`, or write the definition for the table.',
      )
      continue
    }
    inspection.filter(pointer, withoutLinks(definition, filter))
    if (!inspectFilter(inspection, pointer, filter))
      inspection.add(
        pointer,
        `no index can answer the rule \`${name}\`: a branch has no \`_eq\` and no \`_in\``,
        'Give every branch a comparison with a person, a relation or a choice.',
      )
  }
}
