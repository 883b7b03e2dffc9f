import { Button, Modal } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { useMayChoose } from '@/resource/definition/use-readable'
import { MAX_CONDITIONS, parseWhere, whereStyle } from '@/resource/filter/where'
import { conditionsOf, toWhere } from '@/resource/filter-builder/draft'
import { GroupBox } from '@/resource/filter-builder/group-box'
import { fieldId, useDraft } from '@/resource/filter-builder/use-draft'
import { useDraftCount } from '@/resource/filter-builder/use-draft-count'
import { useNodeDrag } from '@/resource/filter-builder/use-node-drag'
import { useResourceScope } from '@/resource/queries/use-scope'
import type { ListState } from '@/resource/screens/list/list-state'
import type { ResourceWords } from '@/resource/words'
import '@/resource/filter-builder/filter-builder.css'

interface FilterBuilderProps {
  definition: Definition
  words: ResourceWords
  state: ListState
  extra: Filter | undefined
  onApply: (where: Filter | null) => void
  onClose: () => void
}

/** Conditions joined by "all of" and "any of", as deep as anybody can still read; counted before they are applied. */
export function FilterBuilder({ definition, words, state, extra, onApply, onClose }: FilterBuilderProps) {
  const { t } = useTranslation('filters')
  const hasChoice = useMayChoose()
  const fields = Object.entries(definition.fields)
    .filter(([name, field]) => whereStyle(definition, name) && hasChoice(field))
    .map(([name]) => name)
  const { root, said, actions, clear } = useDraft(definition, state.where, fields[0] ?? '')
  const drag = useNodeDrag(actions.drop)
  const [shown, setShown] = useState<readonly string[]>([])
  const { where, missing } = toWhere(definition, root)
  const total = conditionsOf(root).length
  const isTooLong = where !== null && parseWhere(JSON.stringify(where), definition) === null
  const handleApply = () => {
    setShown(missing)
    const [first] = missing
    if (first) document.getElementById(`${fieldId(first)}-value`)?.focus()
    else onApply(where)
  }
  return (
    <Modal
      open
      width={860}
      mask={{ closable: false }}
      title={t('title', { name: words.many })}
      onCancel={onClose}
      footer={
        <div className="k-where-foot">
          <Button onClick={clear} disabled={total === 0}>
            {t('clear')}
          </Button>
          <span className="k-where-end">
            <Button onClick={onClose}>{t('cancel')}</Button>
            <Button type="primary" disabled={isTooLong || total > MAX_CONDITIONS} onClick={handleApply}>
              {t('apply')}
            </Button>
          </span>
        </div>
      }
    >
      <div className="k-where">
        <GroupBox
          definition={definition}
          words={words}
          fields={fields}
          actions={actions}
          canAdd={total < MAX_CONDITIONS}
          missing={shown.filter((id) => missing.includes(id))}
          dragged={drag.dragged}
          onGrab={drag.grab}
          node={root}
          place=""
          depth={1}
        />
        <div className="k-where-summary">
          {isTooLong ? (
            <p role="alert">{t('tooLong')}</p>
          ) : (
            <DraftCount definition={definition} state={state} extra={extra} where={where} />
          )}
          {missing.length > 0 ? <p>{t('left', { count: missing.length })}</p> : null}
          {total >= MAX_CONDITIONS ? <p>{t('most', { count: MAX_CONDITIONS })}</p> : null}
        </div>
        <p className="k-visually-hidden" role="status">
          {said}
        </p>
      </div>
    </Modal>
  )
}

type DraftCountProps = Pick<FilterBuilderProps, 'definition' | 'state' | 'extra'> & { where: Filter | null }

function DraftCount({ definition, state, extra, where }: DraftCountProps) {
  const { t } = useTranslation('filters')
  const language = useLanguage()
  const { count, isError, isCounting } = useDraftCount(definition, state, useResourceScope(), extra, where)
  const text = isError
    ? t('countFailed')
    : count === undefined
      ? t('counting')
      : t('count', { count, rows: formatNumber(count, language) })
  return (
    <p className="k-where-count" role="status" aria-busy={isCounting}>
      {text}
    </p>
  )
}
