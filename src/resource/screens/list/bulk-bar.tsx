import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import { Button } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import type { ActionRunner } from '@/resource/actions/use-action-runner'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { listFilter } from '@/resource/queries/list-request'
import type { ResourceScope } from '@/resource/queries/use-scope'
import { findDefinition } from '@/resource/registry'
import type { ListState } from '@/resource/screens/list/list-state'
import type { ResourceWords } from '@/resource/words'
import { lazyPart } from '@/ui/load-chunk'

// The first list chooses nothing: what is done with many rows comes with the first of them.
const BulkTools = lazyPart(() =>
  import('@/resource/bulk/bulk-tools').then((module) => ({ default: module.BulkTools })),
)

export interface BulkBarProps {
  definition: Definition
  words: ResourceWords
  scope: ResourceScope
  rows: Row[]
  /** The rows of the page in view. */
  visible: readonly Row[]
  /** How many match in all, once they are counted. */
  total: number | undefined
  state: ListState
  /** What else narrows the list, such as the record under which it stands. */
  extra: Filter | undefined
  runner: ActionRunner
  onClear: () => void
}

/** What can be done with the chosen rows, or with all that match. */
export function BulkBar(props: BulkBarProps) {
  const { definition, rows, total, state, extra, onClear } = props
  const { t } = useTranslation('engine')
  const filter = listFilter(definition, state, { find: findDefinition, extra })
  // "All" was said of one filter and one choice: after another press it no longer holds.
  const meant = JSON.stringify([filter, state.q, rows.length])
  const [allOf, setAllOf] = useState<string | null>(null)
  const isAll = allOf === meant
  const count = isAll && total !== undefined ? total : rows.length
  return (
    <section className="k-bulk" aria-label={t('list.selected', { count })}>
      <span className="k-bulk-count" role="status">
        {t('list.selected', { count })}
      </span>
      <Suspense fallback={null}>
        <BulkTools {...props} filter={filter} isAll={isAll} onAll={() => setAllOf(meant)} />
      </Suspense>
      <Button type="text" icon={<CloseOutlined aria-hidden="true" />} onClick={onClear}>
        {t('list.clearSelection')}
      </Button>
    </section>
  )
}
