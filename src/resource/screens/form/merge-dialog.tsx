import { Button, Modal, Space } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import { MergeSide } from '@/resource/screens/form/merge-side'
import {
  type MergeField,
  mergedValues,
  mergeFields,
  type Side,
  sideOf,
} from '@/resource/screens/form/merge-values'
import '@/resource/screens/form/merge.css'

export interface MergeProps {
  definition: Definition
  words: ResourceWords
  base: Row
  mine: Row
  theirs: Row
  refused: ReadonlySet<string>
  /** Gets the values to save over the newer version. */
  onMerge: (values: Row) => void
  onClose: () => void
}

const SIDES = ['mine', 'theirs'] as const

/** Two versions of one record, field by field; nothing is written or thrown away until it is saved. */
export function MergeDialog({ definition, words, onMerge, onClose, ...sides }: MergeProps) {
  const { t } = useTranslation('engine')
  const [chosen, setChosen] = useState<Readonly<Record<string, Side>>>({})
  const fields = mergeFields(definition, sides)
  const chooseAll = (side: Side) => setChosen(Object.fromEntries(fields.map(({ name }) => [name, side])))
  return (
    <Modal
      open
      width={880}
      title={t('merge.title')}
      okText={t('merge.save')}
      cancelText={t('merge.back')}
      onOk={() => onMerge(mergedValues(definition, sides, chosen))}
      onCancel={onClose}
    >
      <p>{t(fields.length > 0 ? 'merge.text' : 'merge.same')}</p>
      {fields.length > 0 ? (
        <>
          <Space wrap className="k-merge-all">
            <Button onClick={() => chooseAll('mine')}>{t('merge.allMine')}</Button>
            <Button onClick={() => chooseAll('theirs')}>{t('merge.allTheirs')}</Button>
          </Space>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <section className="k-merge-box" aria-label={t('merge.title')} tabIndex={0}>
            <table className="k-merge">
              <thead>
                <tr>
                  <th scope="col">{t('diff.field')}</th>
                  {SIDES.map((side) => (
                    <th key={side} scope="col">
                      {t(`merge.${side}`)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {fields.map((field) => (
                  <MergeRow
                    key={field.name}
                    field={field}
                    definition={definition}
                    label={words.field(field.name)}
                    sides={sides}
                    chosen={sideOf(field, chosen)}
                    onChoose={(side) => setChosen((before) => ({ ...before, [field.name]: side }))}
                  />
                ))}
              </tbody>
            </table>
          </section>
        </>
      ) : null}
    </Modal>
  )
}

interface MergeRowProps {
  field: MergeField
  definition: Definition
  label: string
  sides: Readonly<Record<Side, Row>>
  chosen: Side
  onChoose: (side: Side) => void
}

function MergeRow({ field: { name, changedBy }, definition, label, sides, chosen, onChoose }: MergeRowProps) {
  const { t } = useTranslation('engine')
  const field = definition.fields[name]
  if (!field) return null
  return (
    <tr>
      <th scope="row">
        {label}
        <span className="k-soft">{t(`merge.changedBy.${changedBy}`)}</span>
      </th>
      {SIDES.map((side) => (
        <td key={side} data-chosen={side === chosen}>
          <label>
            <input
              type="radio"
              name={`merge-${name}`}
              aria-label={t('merge.choice', { field: label, side: t(`merge.${side}`) })}
              checked={side === chosen}
              onChange={() => onChoose(side)}
            />
            {t(`merge.${side}`)}
          </label>
          <div className="k-merge-value">
            <MergeSide definition={definition} name={name} field={field} values={sides[side]} />
          </div>
        </td>
      ))}
    </tr>
  )
}
