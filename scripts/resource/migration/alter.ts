import type { Definition } from '@/resource/language/definition.generated'
import { hiddenTable } from '@/resource/language/embed-keys'
import type { CatalogKey, CatalogTable } from '../../../supabase/embedded/catalog'
import { columnChanges, type Drop, type Refusal } from './alter-columns'
import { constraintChanges, goneColumns, openColumns, reads } from './alter-table'
import { boundChanges } from './bounds'
import { deleteRuleOf, hasIndex } from './compare'
import {
  columnSql,
  derivedSql,
  foreignKeySql,
  indexSql,
  isComposite,
  searchIndexName,
  targetSql,
} from './create'
import { bare, plain } from './expressions'
import { dropFilesSql, filesChanges } from './files'
import { renderGuards, renderPeople } from './guards'
import { dropHiddenSql, hiddenSearchSql, isSearchStale, keepHiddenSql, missingHidden } from './hidden'
import { renderJoin } from './joins'
import { overlapDifferences, overlapProbe, overlapSql } from './no-overlap'
import type { TablePlan } from './plan'
import type { Probe } from './probes'
import { rowRuleChanges } from './row-rules'
import { wrap } from './sql'
import { trashChanges } from './trash'
import { duplicates, uniqueDifferences, uniqueSql } from './unique'

/** All that the definition no longer names, or these columns alone. */
export type Dropping = boolean | readonly string[]

export interface Changes {
  statements: string[]
  /** The drops that were asked for. */
  dropped: Drop[]
  /** Drops that would lose data and are left out. */
  kept: Drop[]
  /** Rows that would break it. */
  probes: Probe[]
  /** Why no migration can do it. */
  refusals: Refusal[]
  /** Columns that the table does not have yet, as a probe reads them. */
  added: string[]
}

export interface Compared {
  definition: Definition
  plan: TablePlan
  table: CatalogTable
  tables: readonly string[]
  /** All tables of the database, where links of the table may hold row rules too. */
  catalog?: readonly CatalogTable[]
  /** Bodies of the trigger functions that `guards.ts` writes, by name. */
  sources: Readonly<Record<string, string>>
  /** Whether `resource new` made the table: the triggers of others are their own. */
  isGenerated: boolean
}

/** The search of a generated table goes with the column that it reads. */
function dropColumnSql({ plan, isGenerated, table, tables }: Compared, name: string): string {
  const isSearch =
    name === 'search' && isGenerated && table.columns.some((each) => each.name === name && each.isGenerated)
  const search = isSearch ? `drop function public.search_${plan.table}(text);\n` : ''
  const file =
    table.files && name in table.files
      ? `drop trigger ${plan.table}_file_${name} on public.${plan.table};\n`
      : ''
  const isHidden = tables.includes(hiddenTable(plan.table, name))
  const hidden = isHidden ? dropHiddenSql(plan.table, name) : ''
  const again = isHidden && plan.isSearched ? `\n${hiddenSearchSql(plan)}` : ''
  const files = file ? `\n${dropFilesSql(plan.table, name)}` : ''
  return `${search}${file}${hidden}alter table public.${plan.table} drop column ${name};${again}${files}`
}

/** Generated columns to drop before other columns change, and to write after. */
function derivedChanges(compared: Compared, gone: readonly string[]): { before: string[]; after: string[] } {
  const { plan, table } = compared
  const on = `alter table public.${plan.table}`
  const unplanned = table.columns.filter(
    ({ name, isGenerated, expression }) =>
      isGenerated &&
      !plan.derived.some((each) => each.name === name) &&
      gone.some((column) => reads(expression, column)),
  )
  const before = unplanned.map(({ name }) => dropColumnSql(compared, name))
  const after = plan.derived.flatMap((derived) => {
    const found = table.columns.find(({ name }) => name === derived.name)
    const isSearch = derived.name === 'search'
    const keep = [`select app.keep_${isSearch ? 'search' : 'short_texts'}('public.${plan.table}');`]
    if (!found) return [`${on} add column ${derivedSql(derived)};`, ...keep]
    const words = (text: string) => new Set(text.match(/\w+/g) ?? [])
    const has = words(found.expression ?? '')
    const covers = isSearch
      ? [...words(derived.expression)].every(
          (word) => has.has(word.toLowerCase()) || word === 'coalesce' || word === 'text',
        )
      : plain(found.expression ?? '') === plain(derived.expression)
    if (!found.isGenerated || (covers && !gone.some((name) => has.has(name)))) return []
    // Before PostgreSQL 17 the expression of a generated column cannot be changed in place.
    before.push(`${on} drop column ${derived.name};`)
    const again = [`${on} add column ${derivedSql(derived)};`]
    if (isSearch)
      again.push(
        `create index ${searchIndexName(plan.table)} on public.${plan.table} using gin (search extensions.gin_trgm_ops);`,
      )
    const lost = table.indexes.filter(
      ({ columns }) => !isSearch && columns.some((column) => bare(column) === derived.name),
    )
    return [...again, ...lost.map((index) => indexSql(plan.table, index))]
  })
  return { before, after }
}

function referenceChanges(
  { plan, table }: Compared,
  retyped: readonly string[],
): { statements: string[]; probes: Probe[] } {
  const on = `alter table public.${plan.table}`
  const found = plan.references.map((reference) => {
    const { column, table: target, onDelete } = reference
    const isNew = !table.columns.some(({ name }) => name === column)
    const composite = isComposite(plan, reference)
    const nothing = { statements: [], probes: [] }
    // A plain key came with its new column.
    if (isNew && !composite) return nothing
    const keys = table.keys.filter(
      ({ columns }) => columns.includes(column) && !columns.some((name) => retyped.includes(name)),
    )
    const holds = (key: CatalogKey) =>
      key.target === target &&
      (!composite || key.columns.includes('company_id')) &&
      (!reference.keyName || (key.name === reference.keyName && key.columns[0] === column)) &&
      (!reference.isRuleGiven || deleteRuleOf(key) === onDelete)
    if (keys.some(holds)) return nothing
    const added = composite ? foreignKeySql(reference) : `foreign key (${column}) ${targetSql(reference)}`
    const same = `x.id::text = r.${column}::text${composite ? ' and x.company_id = r.company_id' : ''}`
    const probe: Probe = {
      table: plan.table,
      where: `r.${column} is not null and not exists (select 1 from public.${target} x where ${same})`,
      problem: `have a \`${column}\` that is no record of \`${target}\``,
      remedy: 'Point them at records that exist, or clear the field',
    }
    return {
      statements: [...keys.map(({ name }) => `${on} drop constraint ${name};`), `${on} add ${added};`],
      probes: isNew ? [] : [probe],
    }
  })
  return {
    statements: found.flatMap(({ statements }) => statements),
    probes: found.flatMap(({ probes }) => probes),
  }
}

function grantChanges({ plan, table, isGenerated }: Compared): string[] {
  const may = (list: readonly string[], key: 'canInsert' | 'canUpdate') =>
    list.filter((name) => !table.columns.some((column) => column.name === name && column[key]))
  const [inserted, updated] = [may(plan.insertable, 'canInsert'), may(plan.updatable, 'canUpdate')]
  const parts = (insert: readonly string[], update: readonly string[]) =>
    [
      ...(insert.length > 0 ? [`insert (${wrap(insert, '  ')})`] : []),
      ...(update.length > 0 ? [`update (${wrap(update, '  ')})`] : []),
    ].join(', ')
  const granted = parts(inserted, updated)
  const open = isGenerated ? openColumns(plan, table) : { insert: [], update: [] }
  const revoked = parts(open.insert, open.update)
  return [
    ...(granted ? [`grant ${granted} on public.${plan.table} to authenticated;`] : []),
    ...(revoked ? [`revoke ${revoked} on public.${plan.table} from authenticated;`] : []),
  ]
}

/** A trigger that names columns keeps them from another type: it goes before them, and is written after. */
function triggerChanges({ plan, sources, isGenerated }: Compared): { before: string[]; after: string[] } {
  if (!isGenerated) return { before: [], after: [] }
  const written = [
    { name: `guard_${plan.table}`, trigger: `${plan.table}_guard`, sql: renderGuards(plan) },
    { name: `check_people_of_${plan.table}`, trigger: `${plan.table}_people`, sql: renderPeople(plan) },
  ]
  const changed = written.filter(({ name, sql }) => /as (\$\w*\$)(.*?)\1;/s.exec(sql)?.[2] !== sources[name])
  return {
    before: changed.flatMap(({ name, trigger }) =>
      sources[name] === undefined
        ? []
        : [`drop trigger ${trigger} on public.${plan.table};`, `drop function app.${name}();`],
    ),
    after: changed.flatMap(({ sql }) => (sql ? [sql] : [])),
  }
}

/** Plans the changes that turn the existing table into the table the definition asks for. Pure. */
export function planChanges(compared: Compared, { drop }: { drop: Dropping }): Changes {
  const { definition, plan, table, tables } = compared
  const on = `alter table public.${plan.table}`
  const isDropped = (column: string) => drop === true || (drop !== false && drop.includes(column))
  const gone = goneColumns(compared)
  const added = plan.columns.filter(({ name }) => !table.columns.some((column) => column.name === name))
  const changed = plan.columns.map((column) => {
    const found = table.columns.find(({ name }) => name === column.name)
    const field = definition.fields[column.name]
    // The rules of a hidden value moved with it.
    return found && field && !field.guard?.read && !found.isGenerated
      ? columnChanges(compared, column, found, field)
      : null
  })
  const retyped = plan.columns.filter((_column, at) => changed[at]?.isRetyped).map(({ name }) => name)
  const goes = gone.map(({ name }) => name).filter(isDropped)
  const derived = derivedChanges(compared, [...retyped, ...goes])
  const constraints = constraintChanges(compared, retyped)
  const references = referenceChanges(compared, retyped)
  const uniques = uniqueDifferences(plan.uniques, table, compared.isGenerated)
  const overlap = overlapDifferences(plan.overlap, table, compared.isGenerated)
  const bounds = boundChanges(plan, compared.sources, retyped)
  const triggers = triggerChanges(compared)
  const hides = missingHidden(plan, tables)
  const remakesSearch = derived.after.some((statement) => statement.includes('app.keep_search('))
  const hiddenSearch =
    plan.isSearched && (remakesSearch ? plan.hidden.length > 0 : isSearchStale(plan, compared.catalog ?? []))
      ? [hiddenSearchSql(plan)]
      : []
  const rowRules = rowRuleChanges({ ...plan, tables: compared.catalog ?? [table], sources: compared.sources })
  const trash = trashChanges({
    ...plan,
    own: table,
    catalog: compared.catalog ?? [table],
    added: added.map(({ name }) => name),
  })
  const isThere = (name: string) => table.columns.some((column) => column.name === name)
  const isMarked = plan.trash && isThere('deleted_at')
  // A kept column that no form fills in any more must not refuse every new record.
  const unused = gone.filter(
    ({ name, isRequired, isGenerated, expression }) =>
      compared.isGenerated && isRequired && !isGenerated && expression === null && !isDropped(name),
  )
  const statements = [
    ...unused.map(({ name }) => `${on} alter column ${name} drop not null;`),
    ...trash.before,
    ...rowRules.before,
    ...triggers.before,
    ...bounds.before,
    ...derived.before,
    ...added.map((column) => {
      const reference = plan.references.find(
        (each) => each.column === column.name && !isComposite(plan, each),
      )
      return `${on} add column ${columnSql(column, reference && { ...reference, isTenant: false })};`
    }),
    ...changed.flatMap((each) => each?.statements ?? []),
    ...derived.after,
    ...constraints.statements,
    ...references.statements,
    ...plan.indexes
      // An index of a table written by hand may have the name for columns of its own.
      .filter(
        ({ name, columns }) => !hasIndex(table, columns) && !table.indexes.some((each) => each.name === name),
      )
      .map((index) => indexSql(plan.table, index)),
    ...uniques.stale.map((name) => `drop index public.${name};`),
    ...uniques.missing.map((unique) => uniqueSql(plan.table, unique)),
    ...overlap.stale.map((name) => `${on} drop constraint ${name};`),
    ...(overlap.missing ? overlapSql(plan.table, overlap.missing) : []),
    ...triggers.after,
    ...filesChanges(plan, table),
    ...bounds.after,
    ...grantChanges(compared),
    ...plan.joins.filter((join) => !tables.includes(join.table)).map((join) => renderJoin(join, plan)),
    ...rowRules.after,
    ...hides.map((each) => keepHiddenSql(plan.table, each)),
    ...hiddenSearch,
    ...trash.after,
  ]
  const lost = gone
    // A generated column goes with the one it reads, as `derivedChanges` has it.
    .filter(
      ({ isGenerated, expression }) => !isGenerated || !gone.some(({ name }) => reads(expression, name)),
    )
    .map(
      ({ name }): Drop => ({
        column: name,
        isColumn: true,
        what: `the column \`${name}\` of \`${plan.table}\``,
        sql: dropColumnSql(compared, name),
      }),
    )
  const drops = [...changed.flatMap((each) => each?.drops ?? []), ...lost]
  const dropped = drops.filter(({ column }) => isDropped(column))
  const unfilled = added.filter(({ notNull, defaultTo }) => notNull && defaultTo === null)
  return {
    statements: [...statements, ...dropped.map(({ sql }) => sql)],
    dropped,
    kept: drops.filter(({ column }) => !isDropped(column)),
    probes: [
      ...unfilled.map(({ name }) => ({
        table: plan.table,
        where: 'true',
        problem: `would have no \`${name}\`, which is required`,
        remedy: 'Give the field a `default`, or add it without `required`, fill it, then require it',
      })),
      ...changed.flatMap((each) => each?.probes ?? []),
      ...constraints.probes,
      ...references.probes,
      ...bounds.probes,
      ...trash.probes,
      ...uniques.missing
        .filter(({ fields }) => fields.every(isThere))
        .map((unique) => duplicates(plan.table, unique, isMarked)),
      ...(overlap.missing &&
      [...overlap.missing.columns, overlap.missing.from, overlap.missing.until].every(isThere)
        ? [overlapProbe(plan.table, overlap.missing, isMarked)]
        : []),
    ],
    refusals: changed.flatMap((each) => each?.refusals ?? []),
    added: [
      ...added.map(({ name, type, defaultTo }) => `(${defaultTo ?? 'null'})::${type} as ${name}`),
      ...trash.added,
    ],
  }
}
