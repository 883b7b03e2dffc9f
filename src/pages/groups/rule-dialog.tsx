import { useNotification } from '@refinedev/core'
import { Suspense, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useCache } from '@/refine/use-cache'
import { useRpcCall } from '@/refine/use-rpc'
import type { DialogProps } from '@/resource/engine-context'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { matchingFilter, type SqlFilter } from '@/resource/request/filter/matching-filter'
import { parseWhere, whereFilter } from '@/resource/request/filter/where'
import { parseListState } from '@/resource/request/query/list-state'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { useErrorText } from '@/resource/use-error-text'
import { TargetDevices } from '@/runs/targets/target-devices'
import { lazyPart } from '@/ui/load-chunk'
import { useDebounced } from '@/ui/use-debounced'
import { useSingleCall } from '@/ui/use-single-call'

const FilterBuilder = lazyPart(() =>
  import('@/resource/screens/list/filter-builder/filter-builder').then((module) => ({
    default: module.FilterBuilder,
  })),
)

const PAUSE_MS = 300

/** A rule cannot ask for groups, which could follow from each other. */
function withoutGroups(definition: Definition): Definition {
  const { groups: _groups, ...fields } = definition.fields
  return { ...definition, fields }
}

/** The definition whose fields a rule filters by, and how a rule is read and written. */
export function useRuleFilter(devices: Definition) {
  const scope = useResourceScope()
  const definition = useMemo(() => withoutGroups(devices), [devices])
  return {
    definition,
    parse: (rule: unknown) => (rule ? parseWhere(JSON.stringify(rule), definition, 'links') : null),
    /** As the database's functions take it. */
    write: (where: Filter): SqlFilter =>
      matchingFilter(definition, whereFilter(definition, where), null, scope.filter),
  }
}

/** Saves the rule of a group; null removes it. Resolves to whether it was saved. */
export function useSaveRule(groupId: string) {
  const { t } = useTranslation('groups')
  const errorText = useErrorText()
  const { open } = useNotification()
  const call = useRpcCall()
  const cache = useCache()
  return async (next: Filter | null): Promise<boolean> => {
    try {
      const count = await call<number>('set_group_rule', {
        group_id: groupId,
        rule: next,
        // A day of the rule begins when it begins here.
        timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      })
      open?.({ type: 'success', message: next ? t('rule.saved', { count }) : t('rule.removed') })
      void cache.invalidate('groups')
      void cache.invalidate('group_devices')
      return true
    } catch (error) {
      open?.({ type: 'error', message: t('rule.failed'), description: errorText(error) })
      return false
    }
  }
}

/** Builds the rule of a group. Saving it makes the group one by rule. */
export function RuleDialog({ records, onClose }: Pick<DialogProps, 'records' | 'onClose'>) {
  const [group] = records
  if (!group) return null
  return (
    <DefinedScreen resource="devices">
      {(definition) => (
        <Builder
          devices={definition}
          groupId={String(group.id)}
          companyId={String(group.company_id)}
          rule={group.rule}
          onClose={onClose}
        />
      )}
    </DefinedScreen>
  )
}

interface BuilderProps {
  devices: Definition
  groupId: string
  companyId: string
  rule: unknown
  onClose: () => void
}

function Builder({ devices, groupId, companyId, rule, onClose }: BuilderProps) {
  const { t } = useTranslation('groups')
  const { definition, parse, write } = useRuleFilter(devices)
  const words = useWords(devices)
  const saveRule = useSaveRule(groupId)
  const save = useSingleCall(async (next: Filter) => {
    if (await saveRule(next)) onClose()
  })
  const state = {
    ...parseListState(new URLSearchParams(), definition, findDefinition),
    where: parse(rule),
  }
  return (
    <Suspense fallback={null}>
      <FilterBuilder
        definition={definition}
        words={words}
        state={state}
        extra={undefined}
        purpose={{
          title: t('rule.dialog'),
          text: t('rule.dialogText'),
          okText: t('rule.save'),
          reach: 'links',
          emptyText: t('rule.needsCondition'),
          renderMatches: (where) => <RuleMatches where={where} companyId={companyId} write={write} />,
        }}
        onApply={(next) => next && void save(next)}
        onClose={onClose}
      />
    </Suspense>
  )
}

interface RuleMatchesProps {
  where: Filter
  companyId: string
  write: (where: Filter) => SqlFilter
}

/** Which devices the rule would choose now, read after a pause in typing. */
function RuleMatches({ where, companyId, write }: RuleMatchesProps) {
  const { t } = useTranslation('groups')
  const asked = useDebounced(JSON.stringify(where), PAUSE_MS)
  return (
    <TargetDevices
      target={{ kind: 'filter', company_id: companyId, filter: write(JSON.parse(asked) as Filter), q: '' }}
      asked={{ where: asked }}
      pageSize={10}
      renderCount={(count, devices) => <strong>{t('rule.matches', { count, devices })}</strong>}
      inNewTab
    />
  )
}
