import { type CSSProperties, memo, type Ref } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Row } from '@/data/rows'
import { hasShow, showPath } from '@/resource/definition/naming'
import { FieldCell } from '@/resource/fields/cells'
import { kindOf } from '@/resource/fields/kinds'
import { fieldAt } from '@/resource/queries/related-field'
import { recordTitle } from '@/resource/queries/title'
import { readPath, readValue } from '@/resource/queries/values'
import { findDefinition } from '@/resource/registry'
import type { ListColumn } from '@/resource/screens/list/columns'
import type { ListTableProps } from '@/resource/screens/list/list-table'
import { RelatedCell } from '@/resource/screens/list/related-cell'

export function rowKey(row: Row): string {
  return String(row.id)
}

interface TableRowProps {
  row: Row
  /** The whole table's: the same object as long as nothing of the table changed, so that a scrolled row stays as it is. */
  table: ListTableProps
  /** Where it stands among rows of which only some are in the document. */
  index?: number
  rowIndex?: number
  measure?: Ref<HTMLTableRowElement>
}

export const TableRow = memo(function TableRow({ row, table, index, rowIndex, measure }: TableRowProps) {
  const { t } = useTranslation('engine')
  const { definition, columns, selection, rowMenu } = table
  const place = index === undefined ? {} : { ref: measure, 'data-index': index, 'aria-rowindex': rowIndex }
  return (
    <tr
      {...place}
      data-row={rowKey(row)}
      data-selected={selection?.isSelected(row) ?? false}
      onPointerEnter={() => table.onHover(row)}
    >
      {selection ? (
        <td className="k-table-select">
          <input
            type="checkbox"
            aria-label={t('list.selectRow', { title: recordTitle(definition, row) })}
            checked={selection.isSelected(row)}
            onChange={() => selection.toggle(row)}
          />
        </td>
      ) : null}
      {columns.map((column, index) => (
        <BodyCell key={column.field} column={column} row={row} isFirst={index === 0} {...table} />
      ))}
      {rowMenu ? <td className="k-table-menu">{rowMenu(row)}</td> : null}
    </tr>
  )
})

function cellStyle({ sized }: ListColumn): CSSProperties | undefined {
  return sized ? { maxWidth: sized, overflow: 'hidden', textOverflow: 'ellipsis' } : undefined
}

interface BodyCellProps extends ListTableProps {
  column: ListColumn
  isFirst: boolean
  row: Row
}

function BodyCell({ column, row, isFirst, definition, linkState, grid }: BodyCellProps) {
  const field = fieldAt(definition, column.field, findDefinition)
  if (!field) return null
  const { name } = definition
  const cell = (fieldName: string) => {
    const inner = definition.fields[fieldName]
    if (!inner) return <RelatedCell key={fieldName} definition={definition} path={fieldName} row={row} />
    const value = readValue(row, fieldName, inner)
    return (
      <FieldCell
        key={fieldName}
        value={value}
        field={inner}
        name={fieldName}
        resource={name}
        row={row}
        dense
      />
    )
  }
  const details = (column.with ?? []).filter((detail) =>
    hasValue(readPath(definition, row, detail, findDefinition)),
  )
  const own = grid?.cell(row, column.field) ?? null
  const content = (
    <>
      {own?.content ?? cell(column.field)}
      {details.length > 0 ? <span className="k-cell-detail">{details.map(cell)}</span> : null}
    </>
  )
  const style = cellStyle(column)
  if (!isFirst)
    return (
      <td data-align={kindOf(field.type).align} style={style} {...own?.attributes}>
        {content}
      </td>
    )
  return (
    <th scope="row" className="k-table-name" style={style} {...own?.attributes}>
      {hasShow(definition) && !(own && grid?.isOn) ? (
        <Link className="k-row-link" to={showPath(definition, rowKey(row))} state={linkState}>
          {content}
        </Link>
      ) : (
        content
      )}
    </th>
  )
}

function hasValue(value: unknown): boolean {
  return value !== null && value !== undefined && value !== ''
}
