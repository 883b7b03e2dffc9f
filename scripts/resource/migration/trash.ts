import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import type { CatalogTable } from '../../../supabase/embedded/catalog'
import type { Find, JoinPlan, ReferencePlan, TablePlan } from './plan'
import type { Probe } from './probes'
import { literal, named } from './sql'

/** The mark of a deleted record: when, by whom, and their name, which outlives the account. */
export const TRASH_COLUMNS = ['deleted_at timestamptz', 'deleted_by uuid', 'deleted_name text'] as const
export const TRASH_NAMES: readonly string[] = TRASH_COLUMNS.map((column) => column.split(' ')[0] ?? '')

/** The condition of unique indexes and of other rules that records in the trash do not count for. */
export const LIVING = 'deleted_at is null'

const COMMANDS = [
  ['select', ['using']],
  ['update', ['using', 'with check']],
  ['delete', ['using']],
] as const

const policyName = (table: string, command: string): string => named(table, command, 'trash')
const triggerName = (table: string): string => named(table, 'trash')

/** Fields that point at a record which may be in a trash, where it is refused as one that does not exist. */
export interface TrashedReference {
  column: string
  table: string
}

export function trashedReferences(
  definition: Definition,
  references: readonly ReferencePlan[],
  find: Find,
): TrashedReference[] {
  const hasTrash = (table: string) =>
    Object.values(definition.fields).some((field) => {
      const target = 'to' in field && typeof field.to === 'string' ? find(field.to) : null
      return target !== null && tableOf(target) === table && target.trash === true
    })
  return references.filter(({ table }) => hasTrash(table)).map(({ column, table }) => ({ column, table }))
}

function referenceSql(table: string, { column, table: target }: TrashedReference): string {
  return `create or replace trigger ${named(table, 'trashed', column)} after insert or update of ${column} on public.${table}
  for each row execute function app.refuse_trashed(${literal(column)}, ${literal(target)});`
}

function joinPolicy(table: string, { table: join, near }: JoinPlan): string {
  return `create policy ${policyName(join, 'select')} on public.${join} as restrictive for select to authenticated
  using (exists (select 1 from public.${table} r where r.id = ${join}.${near.column}));`
}

type Place = Pick<TablePlan, 'table' | 'trash' | 'joins' | 'trashedReferences'>

/** The call and the policies of a table with a trash, and the triggers of a table that points at one. */
export function renderTrash({ table, trash, joins, trashedReferences: references }: Place): string {
  return [
    ...references.map((reference) => referenceSql(table, reference)),
    ...(trash
      ? [
          `select app.keep_trash('public.${table}');`,
          ...COMMANDS.map(
            ([command, clauses]) =>
              `create policy ${policyName(table, command)} on public.${table} as restrictive for ${command} to authenticated\n  ${clauses
                .map((clause) => `${clause} (${LIVING})`)
                .join('\n  ')};`,
          ),
          ...joins.map((join) => joinPolicy(table, join)),
        ]
      : []),
  ].join('\n')
}

const policiesOf = (table: CatalogTable | undefined, end: string): string[] =>
  (table?.policies ?? [])
    .filter(({ name, command }) => name === named(table?.name ?? '', command, end))
    .map(({ name }) => name)

/** Whether the database hides the deleted rows of a table. */
export const hasTrash = (table: CatalogTable): boolean =>
  COMMANDS.every(([command]) => table.policies.some(({ name }) => name === policyName(table.name, command)))

/** Whether rows of a record in the trash are hidden with it, by a policy that asks for the record. */
export const asksFor = (join: CatalogTable | undefined, table: string): boolean =>
  join === undefined ||
  join.policies.some(
    ({ command, text }) =>
      command === 'select' && new RegExp(`\\bfrom (public\\.)?${table}\\b`, 'i').test(text),
  )

interface Facts extends Place {
  own: CatalogTable
  catalog: readonly CatalogTable[]
  /** Columns that the migration adds. */
  added: readonly string[]
}

/** The statements that take away the trash that the definition does not name, and those that write what is missing. */
export function trashChanges({ own, catalog, added, ...place }: Facts): {
  before: string[]
  after: string[]
  probes: Probe[]
  added: string[]
} {
  const { table, trash, joins } = place
  const held = COMMANDS.map(([command]) => policyName(table, command)).filter((name) =>
    policiesOf(own, 'trash').includes(name),
  )
  const references = place.trashedReferences.filter(({ column }) => added.includes(column))
  if (!trash && held.length > 0)
    return {
      before: [
        `drop trigger ${triggerName(table)} on public.${table};`,
        ...held.map((name) => `drop policy ${name} on public.${table};`),
        ...joins.flatMap((join) =>
          policiesOf(
            catalog.find(({ name }) => name === join.table),
            'trash',
          ).map((name) => `drop policy ${name} on public.${join.table};`),
        ),
      ],
      after: references.map((reference) => referenceSql(table, reference)),
      probes: [
        {
          table,
          where: 'r.deleted_at is not null',
          problem: 'would come back from the trash',
          remedy: 'Restore them, or delete them for good',
        },
      ],
      added: [],
    }
  const columns = trash
    ? TRASH_COLUMNS.filter((column) => !own.columns.some(({ name }) => column.startsWith(`${name} `)))
    : []
  const unasked = trash
    ? joins.filter((join) => {
        const between = catalog.find(({ name }) => name === join.table)
        return between && !asksFor(between, table)
      })
    : []
  const isMissing = trash && held.length < COMMANDS.length
  return {
    before: columns.map((column) => `alter table public.${table} add column ${column};`),
    after: isMissing
      ? [
          ...held.map((name) => `drop policy ${name} on public.${table};`),
          renderTrash({ ...place, joins: unasked, trashedReferences: references }),
        ]
      : [
          ...references.map((reference) => referenceSql(table, reference)),
          ...unasked.map((join) => joinPolicy(table, join)),
        ],
    probes: [],
    added: columns.map((column) => `null::${column.split(' ')[1]} as ${column.split(' ')[0]}`),
  }
}
