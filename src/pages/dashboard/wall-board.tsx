import { Button } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useLanguage } from '@/i18n/use-language'
import { PRODUCT_NAME } from '@/ui/brand'
import css from './dashboard-page.module.css'

/** The head of the wall board, which has no menu: how current it is, and the way out, which Escape is too. */
export function WallBoardHead({ updatedAt }: { updatedAt: string | null }) {
  const { t } = useTranslation('dashboard')
  const language = useLanguage()
  const [, setParams] = useSearchParams()
  const close = () => setParams({})
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      if (event.key === 'Escape') setParams({})
    }
    window.addEventListener('keydown', handleKey)
    return () => window.removeEventListener('keydown', handleKey)
  }, [setParams])
  const time = updatedAt ? new Date(updatedAt).toLocaleTimeString(language === 'tr' ? 'tr-TR' : 'en-GB') : '–'
  return (
    <div className={css.boardHead}>
      <strong>{PRODUCT_NAME}</strong>
      <span>{t('kiosk.updated', { time })}</span>
      <Button onClick={close}>{t('kiosk.close')}</Button>
    </div>
  )
}
