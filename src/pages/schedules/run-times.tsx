import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { RelativeTime } from '@/ui/relative-time'

/** A time of `next_runs()` and `preview_schedule()`. */
export interface RunTime {
  at: string
  /** Set when devices run by their own clocks: the local time that all of them start at, without a zone. */
  local: string | null
  /** When the first and the last device do. */
  first: string | null
  last: string | null
  /** How many devices have it still ahead, of how many. */
  ahead: number
  devices: number
}

/** The next times of a schedule, by the reader's clock and by the schedule's. */
export function RunTimes({ times, timezone }: { times: readonly RunTime[]; timezone: string }) {
  const { t } = useTranslation('schedules')
  const language = useLanguage()
  const isElsewhere = timezone !== '' && timezone !== Intl.DateTimeFormat().resolvedOptions().timeZone
  const inZone = (at: string, timeZone: string) =>
    new Intl.DateTimeFormat(language === 'tr' ? 'tr-TR' : 'en-GB', {
      dateStyle: 'medium',
      timeStyle: 'short',
      timeZone,
    }).format(new Date(at))
  const number = (count: number) => formatNumber(count, language)
  return (
    <ol className="l-stack l-points">
      {times.map(({ at, local, first, last, ahead, devices }) =>
        local ? (
          <li key={at}>
            {t('next.deviceTime', { time: inZone(`${local}Z`, 'UTC') })}
            {first && last ? (
              <div className="l-soft">
                {first === last
                  ? t('next.at', { time: formatDateTime(first, language) })
                  : t('next.span', {
                      first: formatDateTime(first, language),
                      last: formatDateTime(last, language),
                    })}
                {ahead < devices
                  ? ` ${t('next.ahead', { count: ahead, ahead: number(ahead), devices: number(devices) })}`
                  : null}
              </div>
            ) : null}
          </li>
        ) : (
          <li key={at}>
            {formatDateTime(at, language)}{' '}
            <span className="l-soft">
              (<RelativeTime value={at} />)
            </span>
            {isElsewhere ? (
              <div className="l-soft">{t('next.zone', { timezone, time: inZone(at, timezone) })}</div>
            ) : null}
          </li>
        ),
      )}
    </ol>
  )
}
