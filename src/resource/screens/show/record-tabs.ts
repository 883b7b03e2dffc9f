import { useTranslation } from 'react-i18next'
import { matchPath, useLocation, useNavigate, useSearchParams } from 'react-router'
import { isOutOfRole } from '@/access/policy'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { commentsOf } from '@/resource/language/comments'
import type { Definition, Related } from '@/resource/language/definition.generated'
import { hasTabPath, relatedTab, showOf, showPath, tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { useFieldWords, useResourceLabels, useWords } from '@/resource/language/words'
import { isOffered } from '@/resource/request/filter/actions'
import { relatedCount } from '@/resource/request/query/related-counts'
import { useResourceScope } from '@/resource/request/query/use-scope'
import type { ShowTab } from '@/resource/screens/form/show-tabs'
import { hasSections } from '@/resource/screens/show/sections'

export const OVERVIEW = 'overview'
export const ACTIVITY = 'activity'
export const COMMENTS = 'comments'
export const ATTACHMENTS = 'attachments'

/** Tables that people write through forms are audited; of the others the audit log itself says which. */
function hasActivity(definition: Definition): boolean {
  const asked = showOf(definition)?.activity
  if (asked !== undefined) return asked
  const tables = findDefinition('audit_log')?.fields.table_name
  const isListed = tables?.type === 'enum' && Object.hasOwn(tables.values, tableOf(definition))
  return definition.form !== false || isListed
}

/** The related lists of the record that the signed-in user may see. */
export function useRelated(definition: Definition, record: Row): readonly Related[] {
  const can = useCan()
  const { filter } = useResourceScope()
  return (showOf(definition)?.related ?? []).filter(
    ({ resource, policy, when }) =>
      !isOutOfRole(can(resource, 'list')) &&
      (policy === undefined ||
        can(policy.object, policy.verb).allowed ||
        (when !== undefined && isOffered(definition, { when }, record, filter))),
  )
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
  const related = useRelated(definition, record)
  return [
    { name: OVERVIEW, label: isDeclared(OVERVIEW) ? words.tab(OVERVIEW) : t('show.overview') },
    ...further.map(([name]) => ({ name, label: words.tab(name) })),
    ...(commentsOf(definition)?.place === 'tab' && !isDeclared(COMMENTS)
      ? [{ name: COMMENTS, label: t('show.comments') }]
      : []),
    ...related.map((each) => {
      const name = relatedTab(lists, each)
      const own = words.text('tabs', name)
      const count = relatedCount(definition, each, record)
      if (own !== undefined) return { name, label: own, count }
      const { many } = labels(each.resource)
      const target = name === each.resource ? null : findDefinition(each.resource)
      return { name, count, label: target ? `${many} (${fieldWord(target, each.by)})` : many }
    }),
    ...(definition.attachments && !isDeclared(ATTACHMENTS)
      ? [{ name: ATTACHMENTS, label: t('attachments.title') }]
      : []),
    ...(isDeclared(ACTIVITY)
      ? [{ name: ACTIVITY, label: words.tab(ACTIVITY) }]
      : hasActivity(definition) && can('audit_log', 'list').allowed
        ? [{ name: ACTIVITY, label: t('activity.title') }]
        : []),
  ]
}

interface TabAddress {
  /** The tab the address names, existing or not. */
  asked: string | null
  choose: (name: string) => void
}

/**
 * The tab is part of the record's address, in the query or, if the definition says so, in the path. Changing
 * tabs adds no history entry.
 */
export function useTabAddress(definition: Definition, id: string, overview: string): TabAddress {
  const [params] = useSearchParams()
  const location = useLocation()
  const navigate = useNavigate()
  const record = showPath(definition, id)
  const inPath = matchPath(`${record}/:tab`, location.pathname)?.params.tab
  return {
    asked: inPath ?? params.get('tab'),
    choose: (name) => {
      const options = { replace: true, state: location.state }
      if (name === overview) navigate(record, options)
      else if (hasTabPath(definition, name)) navigate(`${record}/${name}`, options)
      else navigate({ pathname: record, search: `?tab=${encodeURIComponent(name)}` }, options)
    },
  }
}
