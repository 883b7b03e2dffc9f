import { useTranslation } from 'react-i18next'
import { isOutOfRole } from '@/access/policy'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { relatedTab, showOf, tableOf } from '@/resource/definition/naming'
import { findDefinition } from '@/resource/definition/registry'
import { useFieldWords, useResourceLabels, useWords } from '@/resource/definition/words'
import type { ShowTab } from '@/resource/form/show-tabs'
import { useResourceScope } from '@/resource/query/use-scope'
import { hasSections } from '@/resource/show/sections'

export const OVERVIEW = 'overview'
export const ACTIVITY = 'activity'

/** Tables that people write through forms are audited; of the others the audit log itself says which. */
function hasActivity(definition: Definition): boolean {
  const asked = showOf(definition)?.activity
  if (asked !== undefined) return asked
  const tables = findDefinition('audit_log')?.fields.table_name
  const isListed = tables?.type === 'enum' && Object.hasOwn(tables.values, tableOf(definition))
  return definition.form !== false || isListed
}

/**
 * The parts of a record's page that the signed-in user may see: overview, own tabs, related lists, activity. A
 * tab of sections is left out while the record hides all of their fields.
 */
export function useRecordTabs(definition: Definition, record: Row): ShowTab[] {
  const { t } = useTranslation('engine')
  const can = useCan()
  const words = useWords(definition)
  const labels = useResourceLabels()
  const fieldWord = useFieldWords()
  const { filter } = useResourceScope()
  const show = showOf(definition)
  const own = Object.entries(show?.tabs ?? {}).filter(
    ([, { policy, sections, component }]) =>
      (policy === undefined || can(policy.object, policy.verb).allowed) &&
      (component !== undefined || hasSections(definition, sections ?? {}, record, filter)),
  )
  // A declared tab of one of these names takes the place of the generated one.
  const further = own.filter(([name]) => name !== OVERVIEW && name !== ACTIVITY)
  const isDeclared = (tab: string) => own.some(([name]) => name === tab)
  const lists = show?.related ?? []
  const related = lists.filter(({ resource }) => !isOutOfRole(can(resource, 'list')))
  return [
    { name: OVERVIEW, label: isDeclared(OVERVIEW) ? words.tab(OVERVIEW) : t('show.overview') },
    ...further.map(([name]) => ({ name, label: words.tab(name) })),
    ...related.map((each) => {
      const name = relatedTab(lists, each)
      const own = words.text('tabs', name)
      if (own !== undefined) return { name, label: own }
      const { many } = labels(each.resource)
      const target = name === each.resource ? null : findDefinition(each.resource)
      return { name, label: target ? `${many} (${fieldWord(target, each.by)})` : many }
    }),
    ...(isDeclared(ACTIVITY)
      ? [{ name: ACTIVITY, label: words.tab(ACTIVITY) }]
      : hasActivity(definition) && can('audit_log', 'list').allowed
        ? [{ name: ACTIVITY, label: t('activity.title') }]
        : []),
  ]
}
