import { Button, Drawer, Segmented } from 'antd'
import { useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import type { ResourceWords } from '@/resource/language/words'
import {
  type ColumnChoice,
  moveColumn,
  offeredColumns,
  useColumnWord,
} from '@/resource/request/query/columns'
import type { Density } from '@/resource/request/query/saved-views'
import type { ListSetup } from '@/resource/request/query/use-list-setup'
import { ColumnLine } from '@/resource/screens/list/columns/column-line'
import { useRowDrag } from '@/resource/screens/list/use-row-drag'
import '@/resource/screens/list/columns/preferences.css'

interface ColumnChooserProps {
  definition: Definition
  words: ResourceWords
  setup: ListSetup
  onClose: () => void
}

/** Which columns, in which order, how wide, and how high the rows. Every change shows in the list at once. */
export function ColumnChooser({ definition, words, setup, onClose }: ColumnChooserProps) {
  const { t } = useTranslation('views')
  const word = useColumnWord(definition, words)
  const hiddenId = useId()
  const [said, setSaid] = useState('')
  // The list follows a moment later; the next key press must find what the one before it left.
  const [items, setItems] = useState(setup.choice)
  const change = (next: readonly ColumnChoice[]) => {
    setItems(next)
    setup.setColumns(next)
  }
  const handleReset = () => {
    setItems(setup.usual)
    setup.setColumns(null)
  }
  const drag = useRowDrag<ColumnChoice>(items, change)
  const shown = drag.items
  const hidden = offeredColumns(definition, findDefinition).filter(
    (name) => !shown.some(({ field }) => field === name),
  )
  const boxId = (field: string) => `${hiddenId}-${field}`
  const toggled = useRef<string | null>(null)
  // A line that changes lists is made anew; the focus stays with its box, or the next Tab would begin at the top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the columns changed
  useEffect(() => {
    if (toggled.current) document.getElementById(boxId(toggled.current))?.focus()
    toggled.current = null
  }, [items])
  const handleToggle = (field: string) => {
    toggled.current = field
    const rest = shown.filter((each) => each.field !== field)
    change(rest.length < shown.length ? rest : [...shown, { field }])
  }
  const handleMove = (index: number, by: number) => {
    const to = index + by
    const moved = shown[index]
    if (!moved || to < 0 || to >= shown.length) return
    change(moveColumn(shown, index, to))
    setSaid(
      t('columns.moved', {
        column: word(moved.field),
        place: to + 1,
        count: shown.length,
      }),
    )
  }
  const handleWidth = (field: string, width: number | undefined) =>
    change(shown.map((each) => (each.field === field ? { field, ...(width ? { width } : {}) } : each)))
  return (
    <Drawer
      open
      size={400}
      title={t('columns.title')}
      onClose={onClose}
      extra={<Button onClick={handleReset}>{t('columns.reset')}</Button>}
    >
      <div className="k-columns">
        <div className="k-columns-density">
          <span>{t('columns.density')}</span>
          <Segmented<Density>
            aria-label={t('columns.density')}
            value={setup.density}
            onChange={setup.setDensity}
            options={[
              { value: 'comfortable', label: t('columns.comfortable') },
              { value: 'compact', label: t('columns.compact') },
            ]}
          />
        </div>
        {setup.chosen ? <p className="k-columns-hint">{t('columns.viewHint')}</p> : null}
        <ol className="k-columns-list" aria-label={t('columns.shown')} ref={drag.listRef}>
          {shown.map((choice, index) => (
            <ColumnLine
              key={choice.field}
              choice={choice}
              name={word(choice.field)}
              index={index}
              count={shown.length}
              isDragged={drag.dragged === index}
              onGrab={(event) => drag.grab(index, event)}
              onMove={(by) => handleMove(index, by)}
              onWidth={(width) => handleWidth(choice.field, width)}
              boxId={boxId(choice.field)}
              onHide={() => handleToggle(choice.field)}
            />
          ))}
        </ol>
        {hidden.length > 0 ? (
          <>
            <h3 className="k-columns-heading" id={hiddenId}>
              {t('columns.hidden')}
            </h3>
            <ul className="k-columns-list" aria-labelledby={hiddenId}>
              {hidden.map((field) => (
                <li key={field} className="k-column">
                  <label className="k-column-name">
                    <input
                      type="checkbox"
                      id={boxId(field)}
                      checked={false}
                      aria-label={t('columns.show', { column: word(field) })}
                      onChange={() => handleToggle(field)}
                    />
                    {word(field)}
                  </label>
                </li>
              ))}
            </ul>
          </>
        ) : null}
        <p className="k-visually-hidden" role="status">
          {said}
        </p>
      </div>
    </Drawer>
  )
}
