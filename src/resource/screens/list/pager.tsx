import LeftOutlined from '@ant-design/icons/es/icons/LeftOutlined'
import RightOutlined from '@ant-design/icons/es/icons/RightOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { writeCursor } from '@/resource/request/query/list-request'
import { type ListState, lastPage, PAGE_SIZES, SCROLL_SIZE } from '@/resource/request/query/list-state'
import type { ListResult } from '@/resource/request/query/use-list-query'

interface PagerProps {
  state: ListState
  result: ListResult
  onChange: (change: Partial<ListState>) => void
}

/** Previous and next work before the count is there: whether a next page exists comes with the rows. */
export function Pager({ state, result, onChange }: PagerProps) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const { list, total, order, isStale, more } = result
  const rows = list?.rows ?? []
  const hasNext = list?.hasNext ?? false
  const hasPrevious = list?.hasPrevious ?? false
  // Deleted rows may have made the list begin here.
  const page = hasPrevious || isStale ? state.page : 1
  const start = (page - 1) * state.pageSize
  const turn = (way: 'after' | 'before') => {
    const next = Math.max(1, way === 'after' ? page + 1 : page - 1)
    // The key of the next page is unknown until the requested page has loaded. Until then, paging uses
    // numbers.
    const isEdgeThere = !isStale && !(way === 'after' && more?.hasMore)
    const cursor = isEdgeThere ? writeCursor(rows, order, way) : null
    if (cursor || next <= lastPage(state.pageSize)) onChange({ page: next, cursor })
  }
  const figures = {
    from: formatNumber(start + 1, language),
    to: formatNumber(start + rows.length, language),
    total: total === undefined ? '' : formatNumber(total, language),
  }
  const isPart = more?.hasMore && page === 1
  const range =
    total === undefined
      ? `${t(isPart ? 'list.loadedOpen' : 'list.rangeOpen', figures)} · ${t('list.counting')}`
      : t(isPart ? 'list.loaded' : 'list.range', figures)
  return (
    <div className="k-pager">
      <span className="k-pager-range" role="status">
        {range}
      </span>
      <label className="k-pager-size">
        <span className="k-visually-hidden">{t('list.pageSize')}</span>
        <select
          value={state.pageSize}
          onChange={(event) => onChange({ pageSize: Number(event.target.value), page: 1, cursor: null })}
        >
          {PAGE_SIZES.map((size) => (
            <option key={size} value={size}>
              {size === SCROLL_SIZE
                ? t('list.pageSizeScroll')
                : t('list.pageSizeOption', { figure: formatNumber(size, language) })}
            </option>
          ))}
        </select>
      </label>
      <span className="k-pager-buttons">
        <Button
          icon={<LeftOutlined aria-hidden="true" />}
          aria-label={t('list.previous')}
          disabled={!hasPrevious}
          onClick={() => turn('before')}
        />
        <span className="k-pager-page">{t('list.page', { page: formatNumber(page, language) })}</span>
        <Button
          icon={<RightOutlined aria-hidden="true" />}
          aria-label={t('list.next')}
          disabled={!hasNext}
          onClick={() => turn('after')}
        />
      </span>
    </div>
  )
}
