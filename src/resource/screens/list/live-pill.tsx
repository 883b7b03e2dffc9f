import { Button } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { pendingCount } from '@/resource/request/query/refetch-rules'
import { type LiveList, useLiveList } from '@/resource/request/query/use-live'
import { isPlainKey } from '@/ui/plain-key'
import '@/resource/screens/show/print.css'

/** The changes by others since the list was read; a press or `.` applies them. */
export function LivePill(list: LiveList) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const { pending, apply } = useLiveList(list)
  const count = pendingCount(pending)
  const isWaiting = count > 0
  useEffect(() => {
    if (!isWaiting) return
    const handleKey = (event: KeyboardEvent) => {
      if (!isPlainKey(event, '.')) return
      event.preventDefault()
      apply()
    }
    window.addEventListener('keydown', handleKey)
    return () => window.removeEventListener('keydown', handleKey)
  }, [isWaiting, apply])
  const figure = formatNumber(count, language)
  return (
    <span role="status">
      {isWaiting ? (
        <Button
          type="primary"
          ghost
          shape="round"
          title={t('live.show')}
          aria-keyshortcuts="."
          onClick={apply}
        >
          {pending.isMore ? t('live.more', { figure }) : t('live.changes', { count, figure })}
        </Button>
      ) : null}
    </span>
  )
}
