import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import { Button } from 'antd'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { Selection } from '@/resource/request/query/use-list-setup'
import type { BulkBarProps } from '@/resource/tools/bulk/bulk-tools'
import { lazyPart } from '@/ui/load-chunk'

// The tools for many rows are loaded with the first selection.
const BulkTools = lazyPart(() =>
  import('@/resource/tools/bulk/bulk-tools').then((module) => ({ default: module.BulkTools })),
)

interface SelectionBarProps extends Omit<BulkBarProps, 'rows'> {
  selection: Selection
}

/** Actions for the selected rows, or for all matching rows. */
export function BulkBar({ selection, ...props }: SelectionBarProps) {
  const { t } = useTranslation('engine')
  const { rows, unseen, filter, isAll, chooseAll, clear } = selection
  const count = isAll && props.total !== undefined ? props.total : rows.length
  return (
    <section className="k-bulk" aria-label={t('list.selected', { count })}>
      <span className="k-bulk-count" role="status">
        {t('list.selected', { count })}
        {unseen > 0 && !isAll ? (
          <span className="k-soft"> · {t('list.selectedUnseen', { count: unseen })}</span>
        ) : null}
      </span>
      <Suspense fallback={null}>
        <BulkTools {...props} rows={rows} filter={filter} isAll={isAll} onAll={chooseAll} />
      </Suspense>
      <Button type="text" icon={<CloseOutlined aria-hidden="true" />} onClick={clear}>
        {t('list.clearSelection')}
      </Button>
    </section>
  )
}
