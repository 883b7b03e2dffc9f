import { kindOf } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'
import type { CatalogTable } from '../../../supabase/embedded/catalog'
import { StartError } from '../../../supabase/embedded/start-error'
import { confirm } from '../ask'
import { goneColumns } from '../migration/alter-table'
import type { TablePlan } from '../migration/plan'

export interface RenamedPair {
  from: string
  to: string
}

/** Each new field with each column that the definition no longer names and that could hold the field's values. */
export function renamedPairs(
  definition: Definition,
  plan: Pick<TablePlan, 'columns' | 'derived' | 'trash'>,
  table: Pick<CatalogTable, 'columns'>,
): RenamedPair[] {
  const gone = goneColumns({ definition, plan, table }).filter(({ isGenerated }) => !isGenerated)
  return plan.columns
    .filter(({ name }) => !table.columns.some((column) => column.name === name))
    .flatMap(({ name: to }) => {
      const field = definition.fields[to]
      const types = field ? kindOf(field.type).columns : []
      return gone.filter(({ type }) => types.includes(type)).map(({ name: from }) => ({ from, to }))
    })
}

const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

/**
 * Asks whether fields were renamed: a new column would start empty beside the old one with its values.
 * @throws StartError without a terminal, with the commands that rename them.
 */
export async function askRenamed(name: string, pairs: readonly RenamedPair[]): Promise<RenamedPair[]> {
  if (pairs.length === 0) return []
  const question = (olds: readonly string[], to: string) =>
    `${quoted(olds)} ${olds.length === 1 ? 'is' : 'are'} no longer in the definition and \`${to}\` is new. Was the field renamed?`
  if (!process.stdin.isTTY) {
    const told = [...new Set(pairs.map(({ to }) => to))].map((to) => {
      const olds = pairs.filter((pair) => pair.to === to).map(({ from }) => from)
      const from = olds.length === 1 ? olds[0] : '<old name>'
      return `${question(olds, to)}\n    If it was: npm run resource rename ${name}.${from} ${to}`
    })
    throw new StartError(`${told.join('\n')}\nNothing was changed. For new fields, add -- --yes.`)
  }
  const renamed: RenamedPair[] = []
  for (const { from, to } of pairs) {
    const isKnown = renamed.some((pair) => pair.from === from || pair.to === to)
    if (!isKnown && (await confirm(question([from], to)))) renamed.push({ from, to })
  }
  return renamed
}
