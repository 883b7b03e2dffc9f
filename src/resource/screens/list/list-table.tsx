import CaretDownOutlined from '@ant-design/icons/es/icons/CaretDownOutlined'
import CaretUpOutlined from '@ant-design/icons/es/icons/CaretUpOutlined'
import { type CSSProperties, type ReactNode, startTransition, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { hasShow, showPath } from '@/resource/definition/naming'
import { FieldCell } from '@/resource/fields/cells'
import { kindOf } from '@/resource/fields/kinds'
import type { CellGrid } from '@/resource/inline/cell-grid'
import { ResizeHandle } from '@/resource/preferences/resize-handle'
import { fieldAt } from '@/resource/queries/related-field'
import { recordTitle } from '@/resource/queries/title'
import { readPath, readValue } from '@/resource/queries/values'
import { findDefinition } from '@/resource/registry'
import type { ListColumn } from '@/resource/screens/list/columns'
import { type ListSort, sortBy, sortFurtherBy } from '@/resource/screens/list/list-state'
import { RelatedCell } from '@/resource/screens/list/related-cell'
import { useColumnWord } from '@/resource/screens/list/use-column-word'
import type { ResourceWords } from '@/resource/words'
import '@/resource/screens/list/table.css'

interface ListTableProps {
  definition: Definition
  words: ResourceWords
  columns: readonly ListColumn[]
  rows: readonly Row[]
  sort: readonly ListSort[]
  isStale: boolean
  onSort: (sort: ListSort[]) => void
  onHover: (row: Row) => void
  /** Absent where a column's width is not the reader's to choose. */
  onResize: ((field: string, width: number) => void) | undefined
  /** Kept in the link, so that the record leads back to this very list. */
  linkState: unknown
  selection: { isSelected: (row: Row) => boolean; toggle: (row: Row) => void; toggleAll: () => void } | null
  rowMenu: ((row: Row) => ReactNode) | null
  /** While cells are edited, or hold changes that are not saved. */
  grid: CellGrid | null
}

interface HeaderCellProps extends ListTableProps {
  column: ListColumn
  isFirst: boolean
}

/** As many as a screen shows: they are painted at once, the rest a moment later. */
const FIRST_ROWS = 20

function useFirstRows(rows: readonly Row[]): readonly Row[] {
  const [isWhole, setWhole] = useState(rows.length <= FIRST_ROWS)
  useEffect(() => {
    // After the frame, so that it is not held up by rows that nobody sees yet.
    const timer = window.setTimeout(() => startTransition(() => setWhole(true)), 50)
    return () => window.clearTimeout(timer)
  }, [])
  return isWhole ? rows : rows.slice(0, FIRST_ROWS)
}

function rowKey(row: Row): string {
  return String(row.id)
}

/**
 * A plain table: 100 rows of a component library's table cost a tenth of a second to paint and a fifth of the
 * weight a first list may have, and assistive technology knows a plain one best.
 */
export function ListTable(props: ListTableProps) {
  const { definition, words, columns, rows, selection, rowMenu, grid } = props
  const { t } = useTranslation('engine')
  const shown = useFirstRows(rows)
  const allSelected = rows.length > 0 && selection !== null && rows.every(selection.isSelected)
  return (
    // The box scrolls, the page does not; a box that scrolls must be reachable by keyboard.
    <section
      className="k-table-box"
      aria-label={t('list.scroll', { name: words.many })}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the keyboard's focus
      tabIndex={0}
      data-stale={props.isStale}
    >
      <table
        className="k-table"
        data-resource={definition.name}
        data-selectable={selection !== null}
        {...(grid?.isOn ? { role: 'grid' } : {})}
      >
        <caption className="k-visually-hidden">{words.many}</caption>
        <thead>
          <tr>
            {selection ? (
              <th scope="col" className="k-table-select">
                <input
                  type="checkbox"
                  aria-label={t('list.selectAll')}
                  checked={allSelected}
                  onChange={selection.toggleAll}
                />
              </th>
            ) : null}
            {columns.map((column, index) => (
              <HeaderCell key={column.field} column={column} isFirst={index === 0} {...props} />
            ))}
            {rowMenu ? (
              <th scope="col" className="k-table-menu">
                <span className="k-visually-hidden">{t('list.actions')}</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr
              key={rowKey(row)}
              data-row={rowKey(row)}
              data-selected={selection?.isSelected(row) ?? false}
              onPointerEnter={() => props.onHover(row)}
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
                <BodyCell key={column.field} column={column} row={row} isFirst={index === 0} {...props} />
              ))}
              {rowMenu ? <td className="k-table-menu">{rowMenu(row)}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** What somebody chose holds; what the definition says is the least. */
function headerStyle({ sized, width }: ListColumn): CSSProperties | undefined {
  if (sized) return { width: sized, minWidth: sized, maxWidth: sized, overflow: 'hidden' }
  return width ? { minWidth: width } : undefined
}

function cellStyle({ sized }: ListColumn): CSSProperties | undefined {
  return sized ? { maxWidth: sized, overflow: 'hidden', textOverflow: 'ellipsis' } : undefined
}

function HeaderCell({ column, isFirst, definition, words, sort, onSort, onResize }: HeaderCellProps) {
  const { t } = useTranslation('engine')
  const label = useColumnWord(definition, words)(column.field)
  const field = fieldAt(definition, column.field, findDefinition)
  if (!field) return null
  const place = sort.findIndex((each) => each.field === column.field)
  const way = place === -1 ? undefined : sort[place]?.descending ? 'descending' : 'ascending'
  const align = kindOf(field.type).align
  const className = isFirst ? 'k-table-name' : undefined
  const style = headerStyle(column)
  // The company's column comes and goes by itself; nobody chose it.
  const isOwn = onResize !== undefined && column.field !== 'company_id'
  const handle = isOwn ? <ResizeHandle onResize={(width) => onResize(column.field, width)} /> : null
  if (!definition.fields[column.field]?.sort)
    return (
      <th scope="col" className={className} data-align={align} style={style}>
        {label}
        {handle}
      </th>
    )
  return (
    <th scope="col" className={className} aria-sort={way ?? 'none'} data-align={align} style={style}>
      <button
        type="button"
        className="k-sort"
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

interface BodyCellProps extends HeaderCellProps {
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
