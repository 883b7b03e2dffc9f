import { memo, type Ref } from 'react'
import type { Row } from '@/data/rows'
import { useEngineWords } from '@/i18n/use-language'
import { FieldLinksContext } from '@/resource/fields/cell-parts'
import { recordPath } from '@/resource/language/naming'
import { recordTitle } from '@/resource/request/query/title'
import type { RowsTable } from '@/resource/screens/list/list-table'
import type { PlannedColumn } from '@/resource/screens/list/row-plan'

export function rowKey(row: Row): string {
  return String(row.id)
}

interface TableRowProps {
  row: Row
  /**
   * Shared by the whole table: the same object while nothing of the table changes, so that scrolling does not
   * re-render the row.
   */
  table: RowsTable
  /** The row's index when only some rows are in the document. */
  index?: number
  rowIndex?: number
  measure?: Ref<HTMLTableRowElement>
}

/** The row draws its cells itself, not as components: a long list mounts rows while it is scrolled. */
export const TableRow = memo(function TableRow({ row, table, index, rowIndex, measure }: TableRowProps) {
  const t = useEngineWords()
  const { definition, plan, selection, tick, rowMenu } = table
  const place = index === undefined ? {} : { ref: measure, 'data-index': index, 'aria-rowindex': rowIndex }
  const isSelected = selection?.isSelected(row) ?? false
  return (
    <tr
      {...place}
      data-row={rowKey(row)}
      data-selected={isSelected}
      onPointerEnter={() => table.onHover(row)}
    >
      {selection ? (
        <td className="k-table-select">
          <input
            type="checkbox"
            aria-label={t('list.selectRow', { title: recordTitle(definition, row) })}
            checked={isSelected}
            onChange={() => selection.toggle(row)}
          />
        </td>
      ) : tick ? (
        <td className="k-table-select">{tick.draw(row)}</td>
      ) : null}
      {plan.map((column, index) => drawCell(table, column, row, index === 0))}
      {rowMenu ? <td className="k-table-menu">{rowMenu(row)}</td> : null}
    </tr>
  )
})

function drawCell(
  { definition, grid, onOpen }: RowsTable,
  column: PlannedColumn,
  row: Row,
  isFirst: boolean,
) {
  const { field, align } = column
  const details = column.details.filter(({ isFilled }) => isFilled(row))
  const own = grid?.cell(row, field) ?? null
  const path = isFirst && !grid?.isOn ? recordPath(definition, rowKey(row)) : null
  const content = (
    <>
      {own?.content ?? column.draw(row)}
      {details.length > 0 ? (
        <span className="k-cell-detail">
          {details.map(({ path, draw }, place) => [place > 0 && <i key={`·${path}`}> · </i>, draw(row)])}
        </span>
      ) : null}
      {own?.editor}
    </>
  )
  if (!isFirst)
    return (
      <td key={field} data-align={align} {...own?.attributes}>
        {content}
      </td>
    )
  return (
    <th key={field} scope="row" className="k-table-name" {...own?.attributes}>
      {path ? (
        // The router's own link is a dozen hooks; the table follows it with one listener.
        <a className="k-row-link" href={path} onClick={onOpen}>
          <FieldLinksContext value={false}>{content}</FieldLinksContext>
        </a>
      ) : (
        content
      )}
    </th>
  )
}
