import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { type RingFacts, ringHold } from './ring-hold'

/** Why a ring holds an update back: "Ring 2: 3 of 4 devices of ring 1 succeeded, 95% needed". */
export function HoldReason({ facts }: { facts: RingFacts }) {
  const { t } = useTranslation('patches')
  const language = useLanguage()
  const hold = ringHold(facts, Date.now())
  const number = (count: number) => formatNumber(count, language)
  const { ring } = facts
  const { before } = hold
  switch (hold.reason) {
    case 'untried':
      return t('hold.untried', { ring, before, tried: number(hold.tried), needed: number(hold.needed) })
    case 'failing':
      return t('hold.failing', {
        ring,
        before,
        succeeded: number(hold.succeeded),
        count: hold.tried,
        tried: number(hold.tried),
        percent: formatNumber(hold.percent / 100, language, { style: 'percent' }),
      })
    case 'days':
      return t('hold.days', { ring, before, until: formatDateTime(hold.until, language) })
    case 'soon':
      return t('hold.soon', { ring })
  }
}
