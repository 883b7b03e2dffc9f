import EditOutlined from '@ant-design/icons/es/icons/EditOutlined'
import ExclamationCircleOutlined from '@ant-design/icons/es/icons/ExclamationCircleOutlined'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import type { Definition, Field } from '@/resource/language/definition.generated'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { MergeSide } from '@/resource/screens/form/merge-side'
import { CellEditor } from '@/resource/tools/inline/cell-editor'
import type { CellGrid, GridCell } from '@/resource/tools/inline/cell-grid'
import { isCellOpen } from '@/resource/tools/inline/check-queue'
import { type EditQueue, type QueuedRow, recordOf, unchanged } from '@/resource/tools/inline/edit-queue'
import type { CellEdit } from '@/resource/tools/inline/use-cell-grid'
import type { QueueTexts } from '@/resource/tools/inline/use-queue-texts'

interface ChangedCellProps {
  definition: Definition
  name: string
  field: Field
  row: QueuedRow
  problem: string | undefined
}

/** The new value. The old one is in the cell's title and in its accessible name. */
function ChangedCell({ definition, name, field, row, problem }: ChangedCellProps) {
  const { t } = useTranslation('inline')
  const side = { definition, name, field, dense: true }
  return (
    <span className="k-cell-changed">
      <EditOutlined aria-hidden="true" className="k-cell-mark" />
      <MergeSide {...side} values={recordOf(row)} />
      <span className="k-visually-hidden k-cell-was">
        {t('was')} <MergeSide {...side} values={row.base} />
      </span>
      {problem ? (
        <span className="k-cell-problem">
          <ExclamationCircleOutlined aria-hidden="true" /> {problem}
        </span>
      ) : null}
    </span>
  )
}

interface CellsOptions {
  definition: Definition
  scope: ResourceScope
  names: ReadonlySet<string>
  fields: readonly string[]
  isOn: boolean
  /** While the changes are being written none is added. */
  isLocked: boolean
  queue: EditQueue
  texts: QueueTexts
  edit: CellEdit
  keep: (row: Row, name: string, value: unknown) => void
}

/** The contents of the table's cells: editors, changed values, and marks of what can be changed. */
export function useCells(options: CellsOptions): CellGrid {
  const { definition, scope, names, fields, isOn, isLocked, queue, texts, edit, keep } = options
  const { place, close } = edit
  const { filter } = scope
  return useMemo(() => {
    const editorOf = (row: QueuedRow, name: string) => {
      const field = definition.fields[name]
      if (!field) return undefined
      const at = { id: row.id, field: name }
      return (
        <CellEditor
          key={`${row.id} ${name}`}
          definition={definition}
          name={name}
          field={field}
          row={row}
          onKeep={(value, move) => {
            keep(row.base, name, value)
            close(at, move)
          }}
          onLeave={() => close(at, 'stay')}
        />
      )
    }
    const contentOf = (row: QueuedRow, name: string) => {
      const field = definition.fields[name]
      if (!field || !(name in row.changes)) return undefined
      const problem = texts.get(row.id)?.cells.get(name)
      return <ChangedCell definition={definition} name={name} field={field} row={row} problem={problem} />
    }
    const cell = (shown: Row, name: string): GridCell | null => {
      const row = queue.get(String(shown.id)) ?? unchanged(shown)
      const isChanged = name in row.changes
      const isOpen = isOn && !isLocked && names.has(name) && isCellOpen(definition, name, row, filter)
      if (!isOpen && !isChanged) return null
      const isEdited = isOpen && place?.id === row.id && place.field === name
      const isWrong = texts.get(row.id)?.cells.has(name) === true
      return {
        attributes: {
          'data-cell': name,
          'data-changed': isChanged,
          'data-editing': isEdited,
          ...(isOpen && !isEdited ? { tabIndex: -1 } : {}),
          ...(isWrong ? { 'aria-invalid': true } : {}),
        },
        content: contentOf(row, name),
        editor: isEdited ? editorOf(row, name) : undefined,
      }
    }
    return { isOn, fields, edited: place?.id ?? null, cell }
  }, [definition, filter, names, fields, isOn, isLocked, queue, texts, place, close, keep])
}
