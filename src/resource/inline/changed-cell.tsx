import EditOutlined from '@ant-design/icons/es/icons/EditOutlined'
import ExclamationCircleOutlined from '@ant-design/icons/es/icons/ExclamationCircleOutlined'
import { useTranslation } from 'react-i18next'
import type { Definition, Field } from '@/resource/definition/definition.generated'
import { type QueuedRow, recordOf } from '@/resource/inline/edit-queue'
import { MergeSide } from '@/resource/screens/form/merge-side'

interface ChangedCellProps {
  definition: Definition
  name: string
  field: Field
  row: QueuedRow
  problem: string | undefined
}

/** The new value, marked by more than colour; the old one is heard, and read in the cell's title. */
export function ChangedCell({ definition, name, field, row, problem }: ChangedCellProps) {
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
