import CaretDownOutlined from '@ant-design/icons/es/icons/CaretDownOutlined'
import CaretUpOutlined from '@ant-design/icons/es/icons/CaretUpOutlined'
import type { PointerEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { kindOf } from '@/resource/fields/kinds'
import { fieldAt } from '@/resource/fields/related-field'
import { findDefinition } from '@/resource/language/registry'
import { clampWidth, type ListColumn, useColumnWord } from '@/resource/request/query/columns'
import { sortBy, sortFurtherBy } from '@/resource/request/query/list-state'
import type { ListTableProps } from '@/resource/screens/list/list-table'

function size(header: HTMLTableCellElement, width: number): void {
  const column = header.closest('table')?.querySelectorAll('col')[header.cellIndex]
  if (column) column.style.width = `${width}px`
}

/** Pulls a column wider or narrower. By keyboard the same is done in the column chooser. */
function ResizeHandle({ onResize }: { onResize: (width: number) => void }) {
  const handlePointerDown = (down: PointerEvent<HTMLSpanElement>) => {
    const handle = down.currentTarget
    const header = handle.closest('th')
    if (!header || down.button !== 0) return
    down.preventDefault()
    handle.setPointerCapture(down.pointerId)
    const start = header.getBoundingClientRect().width
    const least = Number(header.dataset.min ?? 0)
    let width = start
    const handleMove = (move: globalThis.PointerEvent) => {
      width = Math.max(least, clampWidth(start + move.clientX - down.clientX))
      size(header, width)
    }
    const handleEnd = () => {
      handle.removeEventListener('pointermove', handleMove)
      handle.removeEventListener('pointerup', handleEnd)
      handle.removeEventListener('pointercancel', handleEnd)
      if (width !== start) onResize(width)
    }
    handle.addEventListener('pointermove', handleMove)
    handle.addEventListener('pointerup', handleEnd)
    handle.addEventListener('pointercancel', handleEnd)
  }
  return <span className="k-resize" aria-hidden="true" onPointerDown={handlePointerDown} />
}

interface HeaderCellProps extends ListTableProps {
  column: ListColumn
  isFirst: boolean
}

export function HeaderCell({ column, isFirst, definition, words, sort, onSort, onResize }: HeaderCellProps) {
  const { t } = useTranslation('engine')
  const label = useColumnWord(definition, words)(column.field)
  const field = fieldAt(definition, column.field, findDefinition)
  if (column.own)
    return (
      <th scope="col">
        <span className="k-head-label">{column.own.title}</span>
      </th>
    )
  if (!field) return null
  const place = sort.findIndex((each) => each.field === column.field)
  const way = place === -1 ? undefined : sort[place]?.descending ? 'descending' : 'ascending'
  const align = kindOf(field.type).align
  const className = isFirst ? 'k-table-name' : undefined
  // The company column appears automatically, so it cannot be configured.
  const isOwn = onResize !== undefined && column.field !== 'company_id'
  const handle = isOwn ? <ResizeHandle onResize={(width) => onResize(column.field, width)} /> : null
  if (!definition.fields[column.field]?.sort)
    return (
      <th scope="col" className={className} data-align={align}>
        <span className="k-head-label">{label}</span>
        {handle}
      </th>
    )
  return (
    <th scope="col" className={className} aria-sort={way ?? 'none'} data-align={align}>
      <button
        type="button"
        className="k-sort k-head-label"
        title={t('list.sortHint')}
        onClick={(event) =>
          onSort(event.shiftKey ? sortFurtherBy(sort, column.field) : sortBy(sort, column.field))
        }
      >
        {label}
        <span className="k-sort-icon" data-way={way ?? 'none'} aria-hidden="true">
          {way === 'descending' ? <CaretDownOutlined /> : <CaretUpOutlined />}
        </span>
        {way && sort.length > 1 ? <span className="k-sort-place">{place + 1}</span> : null}
      </button>
      {handle}
    </th>
  )
}
