import { useNotification } from '@refinedev/core'
import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { TargetDevices } from '@/pages/devices/target-devices'
import { GuardedConfirmButton } from '@/pages/jobs/guarded-confirm-button'
import { useCache } from '@/refine/use-cache'
import { useRpcCall } from '@/refine/use-rpc'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { findDefinition } from '@/resource/definition/registry'
import { useWords } from '@/resource/definition/words'
import { matchingFilter, type SqlFilter } from '@/resource/filter/matching-filter'
import { parseWhere, whereFilter } from '@/resource/filter/where'
import { useWhereText } from '@/resource/list/filter-builder/where-chip'
import { parseListState } from '@/resource/query/list-state'
import { useResourceScope } from '@/resource/query/use-scope'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { useErrorText } from '@/resource/use-error-text'
import { lazyPart } from '@/ui/load-chunk'
import { useDebounced } from '@/ui/use-debounced'
import { useSingleCall } from '@/ui/use-single-call'
import css from './groups.module.css'

const FilterBuilder = lazyPart(() =>
  import('@/resource/list/filter-builder/filter-builder').then((module) => ({
    default: module.FilterBuilder,
  })),
)

interface GroupRuleProps {
  groupId: string
  companyId: string
  /** The filter over devices; null when people choose the devices. */
  rule: unknown
}

/** Which devices are in the group by themselves, and the way to change that. */
export function GroupRule(props: GroupRuleProps) {
  return (
    <DefinedScreen resource="devices">
      {(definition) => <Rule {...props} devices={definition} />}
    </DefinedScreen>
  )
}

/** A rule cannot ask for groups, which could follow from each other. */
function withoutGroups(definition: Definition): Definition {
  const { groups: _groups, ...fields } = definition.fields
  return { ...definition, fields }
}

function Rule({ groupId, companyId, rule, devices }: GroupRuleProps & { devices: Definition }) {
  const { t } = useTranslation('groups')
  const definition = useMemo(() => withoutGroups(devices), [devices])
  const words = useWords(devices)
  const errorText = useErrorText()
  const { open } = useNotification()
  const call = useRpcCall()
  const cache = useCache()
  const scope = useResourceScope()
  const [isBuilding, setBuilding] = useState(false)
  const where = rule ? parseWhere(JSON.stringify(rule), definition, 'links') : null
  const state = { ...parseListState(new URLSearchParams(), definition, findDefinition), where }

  const filterOf = (next: Filter) =>
    matchingFilter(definition, whereFilter(definition, next), null, scope.filter)
  const save = useSingleCall(async (next: Filter | null) => {
    try {
      const count = await call<number>('set_group_rule', {
        group_id: groupId,
        rule: next,
        filter: next ? filterOf(next) : null,
      })
      open?.({ type: 'success', message: next ? t('rule.saved', { count }) : t('rule.removed') })
      setBuilding(false)
      void cache.invalidate('groups')
      void cache.invalidate('group_devices')
    } catch (error) {
      open?.({ type: 'error', message: t('rule.failed'), description: errorText(error) })
    }
  })

  return (
    <section className={css.rule} aria-label={t('rule.title')}>
      <div className={css.ruleText}>
        {rule ? t('rule.text') : t('rule.none')}
        {where ? (
          <strong>
            <RuleText definition={definition} where={where} />
          </strong>
        ) : null}
      </div>
      <GuardedButton resource="groups" action="edit" onClick={() => setBuilding(true)}>
        {rule ? t('rule.edit') : t('rule.set')}
      </GuardedButton>
      {rule ? (
        <GuardedConfirmButton
          resource="groups"
          action="edit"
          title={t('rule.removeTitle')}
          text={t('rule.removeText')}
          okText={t('rule.remove')}
          onConfirm={() => save(null)}
        >
          {t('rule.remove')}
        </GuardedConfirmButton>
      ) : null}
      {isBuilding ? (
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
              renderMatches: (next) => <RuleMatches where={next} companyId={companyId} filterOf={filterOf} />,
            }}
            onApply={(next) => next && void save(next)}
            onClose={() => setBuilding(false)}
          />
        </Suspense>
      ) : null}
    </section>
  )
}

const PAUSE_MS = 300

interface RuleMatchesProps {
  where: Filter
  companyId: string
  filterOf: (where: Filter) => SqlFilter
}

/** Which devices the rule would choose now, read after a pause in typing. */
function RuleMatches({ where, companyId, filterOf }: RuleMatchesProps) {
  const { t } = useTranslation('groups')
  const asked = useDebounced(JSON.stringify(where), PAUSE_MS)
  return (
    <TargetDevices
      target={{ kind: 'filter', company_id: companyId, filter: filterOf(JSON.parse(asked) as Filter), q: '' }}
      asked={{ where: asked }}
      pageSize={10}
      renderCount={(count, devices) => <strong>{t('rule.matches', { count, devices })}</strong>}
      inNewTab
    />
  )
}

function RuleText({ definition, where }: { definition: Definition; where: Filter }) {
  return useWhereText(definition, useWords(definition), where)
}
