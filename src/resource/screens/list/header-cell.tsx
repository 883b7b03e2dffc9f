import CaretDownOutlined from '@ant-design/icons/es/icons/CaretDownOutlined'
import CaretUpOutlined from '@ant-design/icons/es/icons/CaretUpOutlined'
import { useTranslation } from 'react-i18next'
import { kindOf } from '@/resource/fields/kinds'
import { ResizeHandle } from '@/resource/preferences/resize-handle'
import { fieldAt } from '@/resource/queries/related-field'
import { findDefinition } from '@/resource/registry'
import type { ListColumn } from '@/resource/screens/list/columns'
import { sortBy, sortFurtherBy } from '@/resource/screens/list/list-state'
import type { ListTableProps } from '@/resource/screens/list/list-table'
import { useColumnWord } from '@/resource/screens/list/use-column-word'

interface HeaderCellProps extends ListTableProps {
  column: ListColumn
  isFirst: boolean
}

export function HeaderCell({ column, isFirst, definition, words, sort, onSort, onResize }: HeaderCellProps) {
  const { t } = useTranslation('engine')
  const label = useColumnWord(definition, words)(column.field)
  const field = fieldAt(definition, column.field, findDefinition)
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
