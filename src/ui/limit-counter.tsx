import { useTranslation } from 'react-i18next'
import '@/ui/limit-counter.css'

/** From this part of the limit on, the counter is shown. */
const NEAR = 0.8

/**
 * Shows how much of a text's limit is used once it is close: `maxLength` alone stops input without a message.
 */
export function LimitCounter({ length, max }: { length: number; max: number | undefined }) {
  const { t } = useTranslation('common')
  if (max === undefined || length < max * NEAR) return null
  return (
    <span className="k-limit" data-full={length >= max}>
      <span aria-hidden="true">{`${length}/${max}`}</span>
      <span className="k-visually-hidden" role="status">
        {t('limit', { length, max })}
      </span>
    </span>
  )
}
