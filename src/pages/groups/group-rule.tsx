import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import type { Row } from '@/data/rows'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { useWhereText } from '@/resource/screens/list/filter-builder/where-chip'
import { useSingleCall } from '@/ui/use-single-call'
import css from './groups.module.css'
import { RuleDialog, useRuleFilter, useSaveRule } from './rule-dialog'

/** Which devices are in the group by themselves, and the way to change that. */
export function GroupRule({ group }: { group: Row }) {
  return (
    <DefinedScreen resource="devices">
      {(definition) => <Rule group={group} devices={definition} />}
    </DefinedScreen>
  )
}

function Rule({ group, devices }: { group: Row; devices: Definition }) {
  const { t } = useTranslation('groups')
  const [isBuilding, setBuilding] = useState(false)
  const { definition, parse } = useRuleFilter(devices)
  const saveRule = useSaveRule(String(group.id))
  const remove = useSingleCall(async () => {
    await saveRule(null)
  })
  const where = parse(group.rule)
  const isByRule = group.chosen_by === 'rule'
  return (
    <section className={css.rule} aria-label={t('rule.title')}>
      <div className={css.ruleText}>
        {group.rule ? t('rule.text') : isByRule ? t('rule.missing') : t('rule.none')}
        {where ? (
          <strong>
            <RuleText definition={definition} where={where} />
          </strong>
        ) : null}
      </div>
      <GuardedButton
        resource="groups"
        action="edit"
        type={isByRule && !group.rule ? 'primary' : 'default'}
        onClick={() => setBuilding(true)}
      >
        {group.rule ? t('rule.edit') : t('rule.set')}
      </GuardedButton>
      {group.rule ? (
        <GuardedButton
          resource="groups"
          action="edit"
          confirm={{
            title: t('rule.removeTitle'),
            text: t('rule.removeText'),
            okText: t('rule.remove'),
            onConfirm: remove,
          }}
        >
          {t('rule.remove')}
        </GuardedButton>
      ) : isByRule ? (
        <GuardedButton resource="groups" action="edit" onClick={() => void remove()}>
          {t('rule.byHand')}
        </GuardedButton>
      ) : null}
      {isBuilding ? <RuleDialog records={[group]} onClose={() => setBuilding(false)} /> : null}
    </section>
  )
}

function RuleText({ definition, where }: { definition: Definition; where: Filter }) {
  return useWhereText(definition, useWords(definition), where)
}
