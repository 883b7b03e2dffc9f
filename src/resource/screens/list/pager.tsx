import LeftOutlined from '@ant-design/icons/es/icons/LeftOutlined'
import RightOutlined from '@ant-design/icons/es/icons/RightOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { type ListState, PAGE_SIZES } from '@/resource/screens/list/list-state'

interface PagerProps {
  state: ListState
  shown: number
  hasNext: boolean
  /** Undefined while it is counted. */
  total: number | undefined
  onChange: (change: Partial<ListState>) => void
}

/** Previous and next work before the count is there: whether a next page exists comes with the rows. */
export function Pager({ state, shown, hasNext, total, onChange }: PagerProps) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const start = (state.page - 1) * state.pageSize
  const figures = {
    from: formatNumber(start + 1, language),
    to: formatNumber(start + shown, language),
    total: total === undefined ? '' : formatNumber(total, language),
  }
  return (
    <div className="k-pager">
      <span className="k-pager-range" role="status">
        {total === undefined
          ? `${t('list.rangeOpen', figures)} · ${t('list.counting')}`
          : t('list.range', figures)}
      </span>
      <label className="k-pager-size">
        <span className="k-visually-hidden">{t('list.pageSize')}</span>
        <select
          value={state.pageSize}
          onChange={(event) => onChange({ pageSize: Number(event.target.value), page: 1 })}
        >
          {PAGE_SIZES.map((size) => (
            <option key={size} value={size}>
              {t('list.pageSizeOption', { count: size })}
            </option>
          ))}
        </select>
      </label>
      <span className="k-pager-buttons">
        <Button
          icon={<LeftOutlined aria-hidden="true" />}
          aria-label={t('list.previous')}
          disabled={state.page <= 1}
          onClick={() => onChange({ page: state.page - 1 })}
        />
        <span className="k-pager-page">{t('list.page', { page: formatNumber(state.page, language) })}</span>
        <Button
          icon={<RightOutlined aria-hidden="true" />}
          aria-label={t('list.next')}
          disabled={!hasNext}
          onClick={() => onChange({ page: state.page + 1 })}
        />
      </span>
    </div>
  )
}
