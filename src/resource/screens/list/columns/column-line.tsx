import HolderOutlined from '@ant-design/icons/es/icons/HolderOutlined'
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { COLUMN_WIDTH, type ColumnChoice, clampWidth } from '@/resource/request/query/columns'

interface ColumnLineProps {
  choice: ColumnChoice
  name: string
  index: number
  count: number
  isDragged: boolean
  onGrab: (event: PointerEvent<HTMLButtonElement>) => void
  onMove: (by: -1 | 1) => void
  onWidth: (width: number | undefined) => void
  boxId: string
  onHide: () => void
}

export function ColumnLine(props: ColumnLineProps) {
  const { choice, name, index, count, onMove } = props
  const { t } = useTranslation('views')
  const handle = useRef<HTMLButtonElement>(null)
  const isMoving = useRef(false)
  // Moving the line in the page takes the focus off its handle, and the next press would go nowhere.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the place changes
  useEffect(() => {
    if (isMoving.current) handle.current?.focus()
    isMoving.current = false
  }, [index])
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
    event.preventDefault()
    isMoving.current = true
    onMove(event.key === 'ArrowUp' ? -1 : 1)
  }
  return (
    <li className="k-column" data-dragged={props.isDragged}>
      <button
        ref={handle}
        type="button"
        className="k-column-handle"
        aria-label={t('columns.move', { column: name, place: index + 1, count })}
        onPointerDown={props.onGrab}
        onKeyDown={handleKeyDown}
      >
        <HolderOutlined aria-hidden="true" />
      </button>
      <label className="k-column-name">
        <input
          type="checkbox"
          id={props.boxId}
          checked
          disabled={count === 1}
          title={count === 1 ? t('columns.last') : undefined}
          aria-label={t('columns.show', { column: name })}
          onChange={props.onHide}
        />
        {name}
      </label>
      <WidthInput label={t('columns.width', { column: name })} width={choice.width} onWidth={props.onWidth} />
    </li>
  )
}

interface WidthInputProps {
  label: string
  width: number | undefined
  onWidth: (width: number | undefined) => void
}

/** A width counts once it is a possible one; half-typed ones wait until the field is left. */
function WidthInput({ label, width, onWidth }: WidthInputProps) {
  const { t } = useTranslation('views')
  const [typed, setTyped] = useState<string | null>(null)
  const handleChange = (text: string) => {
    setTyped(text)
    const next = Number(text)
    if (next >= COLUMN_WIDTH.min && next <= COLUMN_WIDTH.max) onWidth(clampWidth(next))
  }
  const handleBlur = () => {
    if (typed === null) return
    setTyped(null)
    const next = Number(typed)
    const chosen = typed === '' || !Number.isFinite(next) ? undefined : clampWidth(next)
    if (chosen !== width) onWidth(chosen)
  }
  return (
    <input
      className="k-column-width"
      type="number"
      min={COLUMN_WIDTH.min}
      max={COLUMN_WIDTH.max}
      step={COLUMN_WIDTH.step}
      placeholder={t('columns.auto')}
      aria-label={label}
      value={typed ?? width ?? ''}
      onChange={(event) => handleChange(event.target.value)}
      onBlur={handleBlur}
    />
  )
}
