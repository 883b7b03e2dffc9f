import { sqlOf } from '@/resource/fields/scripts'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { type NoOverlap, noOverlapOf } from '@/resource/language/no-overlap'
import type { CatalogTable } from '../../../supabase/embedded/catalog'
import { plain } from './expressions'
import type { Probe } from './probes'
import { named } from './sql'
import { LIVING } from './trash'

/** An exclusion constraint. Its name begins with the field that a refusal is shown at. */
export interface OverlapPlan extends NoOverlap {
  name: string
  columns: string[]
  range: string
  /** Whether records in the trash do not count. */
  isOfLiving?: true
}

/** A day counts whole; a moment ends where the next may begin. An empty end is open. */
const RANGES: Record<string, (from: string, until: string) => string> = {
  date: (from, until) => `daterange(${from}, ${until}, '[]')`,
  timestamptz: (from, until) => `tstzrange(${from}, ${until}, '[)')`,
}

const ENDING = 'no_overlap'

export function overlapOf(definition: Definition): OverlapPlan | null {
  const rule = noOverlapOf(definition)
  const field = rule && definition.fields[rule.from]
  const range = field && RANGES[sqlOf(field.type).column?.(field).type ?? '']
  if (!rule || !range) return null
  return {
    ...rule,
    ...(definition.trash ? { isOfLiving: true as const } : {}),
    name: named(tableOf(definition), rule.from, ENDING),
    columns: [...(definition.tenant === false ? [] : ['company_id']), ...rule.by],
    range: range(rule.from, rule.until),
  }
}

function definitionOf({ columns, range, from, isOfLiving }: OverlapPlan): string {
  const same = columns.map((column) => `${column} with =`).join(', ')
  return `exclude using gist (${same}, ${range} with &&) where (${from} is not null${isOfLiving ? ` and ${LIVING}` : ''})`
}

/** An index over values and ranges together needs an extension that PostgreSQL ships with. */
export const EXTENSION = 'create extension if not exists btree_gist with schema extensions;'

export function overlapSql(table: string, plan: OverlapPlan): string[] {
  return [EXTENSION, `alter table public.${table} add constraint ${plan.name}\n  ${definitionOf(plan)};`]
}

/** Whether the database lacks the constraint, and which of ours no definition asks for any more. */
export function overlapDifferences(
  plan: OverlapPlan | null,
  table: CatalogTable,
  isGenerated: boolean,
): { missing: OverlapPlan | null; stale: string[] } {
  const names = (text: string) => new Set(text.match(/\w+/g) ?? [])
  const holds = ({ definition }: CatalogTable['exclusions'][number]) => {
    if (!plan) return false
    if (plain(definition) === plain(definitionOf(plan))) return true
    // A trigger written by hand may say the same in other words.
    const mentioned = names(definition)
    return !isGenerated && [...plan.columns, plan.from, plan.until].every((name) => mentioned.has(name))
  }
  const isOurs = (name: string) => name.startsWith(`${table.name}_`) && name.endsWith(`_${ENDING}`)
  return {
    missing: plan && !table.exclusions.some(holds) ? plan : null,
    stale: table.exclusions.filter((each) => isOurs(each.name) && !holds(each)).map(({ name }) => name),
  }
}

/** The records that overlap another one. */
export function overlapProbe(
  table: string,
  { columns, from, until, range, name }: OverlapPlan,
  isMarked = false,
): Probe {
  const living = (row: string) => (isMarked ? `${row}.${LIVING} and ` : '')
  const of = (row: string) =>
    range.replace(from, `${row}.${from}`).replace(`, ${until},`, `, ${row}.${until},`)
  const same = columns.map((column) => `x.${column} = r.${column}`).join(' and ')
  return {
    table,
    where: `${living('r')}r.${from} is not null and (r.${until} is null or r.${until} >= r.${from}) and exists (
      select from public.${table} x where ${living('x')}x.id <> r.id and x.${from} is not null and ${same}
        and case when x.${until} < x.${from} then false else ${of('x')} && ${of('r')} end)`,
    problem: `overlap another one, which \`${name}\` refuses`,
    remedy: `Change \`${from}\` or \`${until}\` of one of them`,
  }
}
