import StarFilled from '@ant-design/icons/es/icons/StarFilled'
import StarOutlined from '@ant-design/icons/es/icons/StarOutlined'
import { useNotification } from '@refinedev/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCache } from '@/refine/use-cache'
import { useRpcCall } from '@/refine/use-rpc'
import { useErrorText } from '@/resource/use-error-text'
import css from './portal.module.css'

const STARS = [1, 2, 3, 4, 5] as const

/** Saves a rating of the requester and reads tickets again; false when it was refused. */
export function useRateTicket(): (id: string, rating: number, note?: string) => Promise<boolean> {
  const { t } = useTranslation('tickets')
  const { open } = useNotification()
  const errorText = useErrorText()
  const call = useRpcCall()
  const cache = useCache()
  return async (id, rating, note) => {
    try {
      await call('rate_ticket', { id, rating, ...(note === undefined ? {} : { note }) })
      open?.({ type: 'success', message: t('rating.thanks') })
      return true
    } catch (error) {
      open?.({ type: 'error', message: t('rating.failed'), description: errorText(error) })
      return false
    } finally {
      await cache.invalidate('tickets')
    }
  }
}

interface StarsProps {
  label: string
  value: number | null
  isDisabled?: boolean
  onRate: (rating: number) => void
}

/** Five stars, each a button: one press rates. */
export function Stars({ label, value, isDisabled = false, onRate }: StarsProps) {
  const { t } = useTranslation('tickets')
  const [over, setOver] = useState(0)
  const shown = over || (value ?? 0)
  return (
    <fieldset className={css.stars} aria-label={label} onMouseLeave={() => setOver(0)}>
      {STARS.map((star) => (
        <button
          key={star}
          type="button"
          className={css.star}
          aria-label={t('rating.star', { count: star })}
          aria-pressed={value === star}
          disabled={isDisabled}
          onMouseEnter={() => setOver(star)}
          onClick={() => onRate(star)}
        >
          {star <= shown ? <StarFilled aria-hidden="true" /> : <StarOutlined aria-hidden="true" />}
        </button>
      ))}
    </fieldset>
  )
}
