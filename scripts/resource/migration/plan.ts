import { kindOf } from '@/resource/fields/kinds'
import { sharesTarget, targetOf } from '@/resource/fields/related-field'
import { sqlOf } from '@/resource/fields/scripts'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { splitCheck } from '@/resource/request/filter/mentioned-fields'
import { isOfPeople } from '@/resource/request/filter/where'
import { type BoundPlan, boundsOf } from './bounds'
import { type ColumnPlan, columnOf, hasOwnColumn } from './columns'
import { type FilesPlan, filesOf } from './files'
import { conditionSql, filterSql } from './filter-sql'
import { type OverlapPlan, overlapOf } from './no-overlap'
import { type RowRulesPlan, rowRulesOf } from './row-rules'
import { indexedFields, linkOf } from './rule-fields'
import { named } from './sql'
import { type TrashedReference, trashedReferences } from './trash'
import { type UniquePlan, uniquesOf } from './unique'

export type Find = (name: string) => Definition | null

/** Columns that every table of ours has; a definition may show them, but never shapes them. */
export const GIVEN: readonly string[] = ['id', 'company_id', 'version', 'created_at', 'updated_at']

export interface ConstraintPlan {
  name: string
  /** The field it is about; it may read others. */
  column: string
  expression: string
}

export type DeleteRule = 'set null' | 'refuse' | 'cascade'

export interface ReferencePlan {
  column: string
  table: string
  /** Over company and id, so that no row can point into another company. */
  isTenant: boolean
  onDelete: DeleteRule
  /** The definition says so itself; otherwise a key that does something else is left as it is. */
  isRuleGiven?: boolean
  /** The name of its key, where another field points at the same table and the console tells them apart by it. */
  keyName?: string
}

export interface IndexPlan {
  name: string
  columns: string[]
}

export interface GuardPlan {
  column: string
  object: string
  verb: string
  /** The value that a row starts with, which may be written without the permission. */
  startsAs: string
}

/** A field whose values are kept apart, for those who have the permission. */
export interface HiddenPlan {
  column: string
  object: string
  verb: string
  /** Whether the search finds rows by it, for those who may read it. */
  isSearched: boolean
}

export interface JoinPlan {
  table: string
  near: { column: string; table: string }
  far: { column: string; table: string; isTenant: boolean }
}

/** A generated column: its order for people, or what is searched. */
export interface DerivedPlan {
  name: string
  expression: string
}

export interface OwnColumn {
  column: string
  note: string
}

export interface TablePlan {
  resource: string
  table: string
  isTenant: boolean
  columns: ColumnPlan[]
  derived: DerivedPlan[]
  constraints: ConstraintPlan[]
  bounds: BoundPlan[]
  references: ReferencePlan[]
  indexes: IndexPlan[]
  uniques: UniquePlan[]
  overlap: OverlapPlan | null
  joins: JoinPlan[]
  people: string[]
  guards: GuardPlan[]
  files: FilesPlan | null
  rowRules: RowRulesPlan
  hidden: HiddenPlan[]
  /** Whether deleted records stay for a time. */
  trash: boolean
  trashedReferences: TrashedReference[]
  isSearched: boolean
  insertable: string[]
  updatable: string[]
  canDelete: boolean
  /** Requests of the definition that a migration cannot express. */
  notes: string[]
  /** Columns that only a migration written by hand can make. */
  ownColumns: OwnColumn[]
}

function derivedColumns(
  definition: Definition,
  own: readonly [string, Field][],
  notes: string[],
  missing: OwnColumn[],
): DerivedPlan[] {
  const derived: DerivedPlan[] = []
  for (const [name, field] of own) {
    // A hidden value is ordered by a function of the row.
    if (field.guard?.read) continue
    if (typeof field.sort !== 'string' || field.sort in definition.fields || GIVEN.includes(field.sort))
      continue
    // A text whose whole is sorted by is one line, as app.short_texts() has it.
    if (kindOf(field.type).isText)
      derived.push({
        name: field.sort,
        expression: `app.sort_key(${kindOf(field.type).wide ? `"left"(${name}, 200)` : name})`,
      })
    else
      missing.push({
        column: field.sort,
        note: `\`${name}\` sorts by \`${field.sort}\`, which only a migration of your own can fill.`,
      })
  }
  const searched = own.filter(([, field]) => field.search === true && !field.guard?.read)
  const parts = searched.flatMap(([name, field]) => {
    const { search } = sqlOf(field.type)
    if (search === 'words') return [field.required && !field.when ? name : `coalesce(${name}, '')`]
    if (search === 'digits') return [`coalesce(${name}::text, '')`]
    notes.push(`\`${name}\` is \`${field.type}\`, which the search cannot read: only text and whole numbers.`)
    return []
  })
  if (parts.length > 0) derived.push({ name: 'search', expression: `app.fold(${parts.join(` || ' ' || `)})` })
  return derived
}

/** The form takes spaces and empty lists for nothing. */
function filledSql(name: string, field: Field): string {
  if (kindOf(field.type).isText) return `coalesce(length(btrim(${name})), 0) > 0`
  return sqlOf(field.type).filled?.(name) ?? `${name} is not null`
}

/** Named so that the form finds the field of a refusal by it, and as Postgres by itself never would. */
function constraintsOf(table: string, own: readonly [string, Field][], notes: string[]): ConstraintPlan[] {
  return own.flatMap(([name, field]) => {
    const found: ConstraintPlan[] = []
    const { own: check } = splitCheck(field.check)
    if (Object.keys(check).length > 0) {
      const expression = conditionSql(name, check)
      if (expression) found.push({ name: named(table, name, 'check01'), column: name, expression })
      else
        notes.push(
          `The check of \`${name}\` asks for the time or the user: no constraint can hold it, only the form does.`,
        )
    }
    if (field.required && field.when && !field.readonly) {
      const when = filterSql(field.when)
      if (when)
        found.push({
          name: named(table, name, 'check02'),
          column: name,
          expression: `not (${when}) or ${filledSql(name, field)}`,
        })
      else notes.push(`When \`${name}\` is required depends on the time or the user: only the form holds it.`)
    }
    return found
  })
}

const RULES = { restrict: 'refuse', set_null: 'set null', cascade: 'cascade' } as const

/** The field's explicit rule for the deletion of the record that it points at. */
export function givenRule(field: Field | undefined): DeleteRule | undefined {
  const given = field && 'on_delete' in field ? field.on_delete : undefined
  return given && RULES[given]
}

function referencesOf(definition: Definition, own: readonly [string, Field][], find: Find): ReferencePlan[] {
  return own.flatMap(([column, field]): ReferencePlan[] => {
    const given = givenRule(field)
    const onDelete = given ?? (field.required && !field.when ? 'refuse' : 'set null')
    const to = targetOf(field)
    if (to === null) return []
    // `users` is a view; the key goes to the table behind it.
    if (isOfPeople(field)) return [{ column, table: 'profiles', isTenant: false, onDelete }]
    const target = find(to)
    const isTenant = target?.tenant !== false
    const named = isTenant && sharesTarget(definition, column, find)
    return [
      {
        ...{ column, table: target ? tableOf(target) : to, isTenant, onDelete },
        ...(given ? { isRuleGiven: true } : {}),
        ...(named ? { keyName: `${tableOf(definition)}_${column}_fkey`.slice(0, 63) } : {}),
      },
    ]
  })
}

function joinsOf(definition: Definition, find: Find): JoinPlan[] {
  return Object.values(definition.fields).flatMap((field) => {
    if (field.type !== 'many-to-many') return []
    const target = find(field.to)
    return [
      {
        table: field.through,
        near: { column: field.near, table: tableOf(definition) },
        far: {
          column: field.far,
          // `users` is a view; the key goes to the table behind it.
          table: linkOf(field) ? 'profiles' : target ? tableOf(target) : field.to,
          isTenant: !linkOf(field) && target?.tenant !== false,
        },
      },
    ]
  })
}

function indexesOf(
  definition: Definition,
  plan: Pick<TablePlan, 'table' | 'isTenant' | 'references'>,
): IndexPlan[] {
  const { table, isTenant } = plan
  const found = new Map<string, IndexPlan>()
  const add = (columns: string[], ...words: string[]) => {
    const key = columns.join()
    if (!found.has(key)) found.set(key, { name: named(table, ...words, 'idx'), columns })
  }
  // The column of a hidden field holds one mark in every row.
  const fields = Object.entries(definition.fields).filter(
    ([, field]) => hasOwnColumn(field) && !field.guard?.read,
  )
  for (const [name, field] of fields) {
    if (!field.sort || name === 'company_id') continue
    const column = typeof field.sort === 'string' ? field.sort : name
    if (isTenant) add(['company_id', column, 'id'], 'company', column)
    add([column, 'id'], column)
  }
  const starts = (column: string) =>
    [...found.keys()].some((key) => key.startsWith(isTenant ? `company_id,${column},` : `${column},`))
  for (const [name, field] of fields) {
    if (!field.filter || name === 'company_id' || !sqlOf(field.type).isIndexed || starts(name)) continue
    if (isTenant) add(['company_id', name], 'company', name)
    else add([name], name)
  }
  for (const name of Object.values(definition.rules ?? {}).flatMap((rule) => indexedFields(rule) ?? [])) {
    if (linkOf(definition.fields[name]) || GIVEN.includes(name) || starts(name)) continue
    if (isTenant) add(['company_id', name], 'company', name)
    else add([name], name)
  }
  for (const { column, isTenant: isComposite } of plan.references) {
    if (isComposite && isTenant) {
      if (!starts(column)) add(['company_id', column], 'company', column)
    } else add([column], column)
  }
  return [...found.values()]
}

function guardsOf(own: readonly [string, Field][], columns: readonly ColumnPlan[]): GuardPlan[] {
  return own.flatMap(([column, field]) => {
    const write = field.guard?.write
    if (!write) return []
    const startsAs = columns.find(({ name }) => name === column)?.defaultTo ?? 'null'
    return [{ column, object: write.object, verb: write.verb, startsAs }]
  })
}

/** The table a definition asks for. Pure: the same definition always plans the same. */
export function planTable(definition: Definition, find: Find): TablePlan {
  const notes: string[] = []
  const missing: OwnColumn[] = []
  const table = tableOf(definition)
  const isTenant = definition.tenant !== false
  const own = Object.entries(definition.fields).filter(
    ([name, field]) => hasOwnColumn(field) && !GIVEN.includes(name),
  )
  for (const [name, field] of Object.entries(definition.fields))
    if (kindOf(field.type).derived && !sqlOf(field.type).column && !GIVEN.includes(name))
      missing.push({
        column: name,
        note: `\`${name}\` is computed: write its generated column in a migration of your own.`,
      })
  const columns = own.map(([name, field]) => columnOf(name, field))
  const references = referencesOf(definition, own, find)
  const derived = derivedColumns(definition, own, notes, missing)
  const canWrite = definition.form !== false
  const writable = own.filter(([, field]) => !field.readonly && !kindOf(field.type).derived)
  return {
    resource: definition.name,
    table,
    isTenant,
    columns,
    derived,
    constraints: constraintsOf(table, own, notes),
    bounds: boundsOf(table, own, references),
    references,
    indexes: indexesOf(definition, { table, isTenant, references }),
    uniques: uniquesOf(definition),
    overlap: overlapOf(definition),
    joins: joinsOf(definition, find),
    people: own.flatMap(([name, field]) =>
      field.type === 'user' && isTenant && !field.readonly ? [name] : [],
    ),
    guards: guardsOf(own, columns),
    files: filesOf(definition),
    rowRules: rowRulesOf(definition),
    hidden: own.flatMap(([column, field]) =>
      field.guard?.read ? [{ column, ...field.guard.read, isSearched: field.search === true }] : [],
    ),
    trash: definition.trash === true,
    trashedReferences: trashedReferences(definition, references, find),
    isSearched: derived.some(({ name }) => name === 'search'),
    insertable: canWrite && definition.create !== false ? writable.map(([name]) => name) : [],
    updatable:
      canWrite && definition.edit !== false
        ? writable.filter(([, field]) => !field.once).map(([name]) => name)
        : [],
    canDelete: definition.delete !== false,
    notes,
    ownColumns: missing,
  }
}
