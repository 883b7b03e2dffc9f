import { useNotification, useOne } from '@refinedev/core'
import { Checkbox, Form, Modal, Select } from 'antd'
import Holidays from 'date-holidays'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDay } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { firstCountry, HOLIDAY_YEARS, holidayRows, todayIn } from '@/pages/tickets/holidays'
import { useCache } from '@/refine/use-cache'
import { useRpcCall } from '@/refine/use-rpc'
import type { DialogProps } from '@/resource/engine-context'
import { useErrorText } from '@/resource/use-error-text'
import { PartLoading } from '@/ui/loading-state'
import { useSingleCall } from '@/ui/use-single-call'
import css from './ticket-settings.module.css'

interface Calendar {
  [column: string]: unknown
  id: string
  country: string | null
  region: string | null
  timezone: string | null
}

const byName = (names: Record<string, string>) =>
  Object.entries(names)
    .map(([value, label]) => ({ value, label }))
    .sort((a, b) => a.label.localeCompare(b.label))

/**
 * Fills the holidays of a country, or of one of its regions, into a business calendar. The holidays of all countries are a
 * large file, which comes with this dialog alone.
 */
export function FillHolidaysDialog({ records, resource, onClose, onDone = onClose }: DialogProps) {
  const { t } = useTranslation(['tickets', 'engine'])
  const language = useLanguage()
  const errorText = useErrorText()
  const { open } = useNotification()
  const call = useRpcCall()
  const cache = useCache()
  const [chosen, setChosen] = useState<{ country: string; region: string | null } | null>(null)
  const [isPastToo, setPastToo] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const id = String(records[0]?.id ?? '')
  const { query } = useOne<Calendar>({ resource, id, meta: { select: 'id,country,region,timezone' } })
  const calendar = query.data?.data
  const timezone = calendar?.timezone ?? null
  const begins = useMemo(() => {
    const all = Object.keys(new Holidays().getCountries())
    const zonesOf = Object.fromEntries(all.map((each) => [each, new Holidays(each).getTimezones() ?? []]))
    return firstCountry(zonesOf, timezone, window.navigator.languages)
  }, [timezone])
  const country = chosen?.country ?? calendar?.country ?? begins
  const region = chosen ? chosen.region : (calendar?.region ?? null)

  const countries = byName(new Holidays().getCountries(language))
  const regions = country === null ? [] : byName(new Holidays().getStates(country, language) ?? {})
  const year = new Date().getFullYear()
  const years = Array.from({ length: HOLIDAY_YEARS }, (_, index) => year + index)
  const found =
    country === null
      ? []
      : holidayRows(new Holidays(country, region ?? '', { languages: [language], types: ['public'] }), years)
  const today = todayIn(timezone)
  const hasPast = found.some(({ date }) => date < today)
  const days = isPastToo ? found : found.filter(({ date }) => date >= today)

  const fill = useSingleCall(async () => {
    setBusy(true)
    try {
      const count = await call<number>('fill_holidays', { id, country, region, days })
      open?.({ type: 'success', message: t('holidays.filled', { count }) })
      await cache.invalidate(resource)
      onDone()
    } catch (error) {
      open?.({ type: 'error', message: t('holidays.title'), description: errorText(error) })
      setBusy(false)
    }
  })

  return (
    <Modal
      open
      title={t('holidays.title')}
      okText={t('holidays.fill')}
      cancelText={t('engine:action.cancel')}
      okButtonProps={{ disabled: days.length === 0 }}
      confirmLoading={isBusy}
      onOk={() => void fill()}
      onCancel={onClose}
    >
      <p className={css.text}>{t('holidays.text', { from: year, until: year + HOLIDAY_YEARS - 1 })}</p>
      {query.isPending ? (
        <PartLoading />
      ) : (
        <Form layout="vertical">
          <Form.Item label={t('holidays.country')} htmlFor="holiday-country">
            <Select
              id="holiday-country"
              showSearch={{ optionFilterProp: 'label' }}
              value={country}
              placeholder={t('holidays.choose')}
              options={countries}
              onChange={(next: string) => setChosen({ country: next, region: null })}
            />
          </Form.Item>
          {regions.length > 0 ? (
            <Form.Item label={t('holidays.region')} htmlFor="holiday-region">
              <Select
                id="holiday-region"
                showSearch={{ optionFilterProp: 'label' }}
                value={region ?? ''}
                options={[{ value: '', label: t('holidays.allRegions') }, ...regions]}
                onChange={(next: string) =>
                  country === null ? undefined : setChosen({ country, region: next === '' ? null : next })
                }
              />
            </Form.Item>
          ) : null}
          {hasPast ? (
            <Form.Item>
              <Checkbox checked={isPastToo} onChange={({ target }) => setPastToo(target.checked)}>
                {t('holidays.past', { year })}
              </Checkbox>
            </Form.Item>
          ) : null}
          <p role="status">{t('holidays.preview', { count: days.length })}</p>
          <ul className={css.holidays}>
            {days.map((day) => (
              <li key={day.date}>
                <time dateTime={day.date}>{formatDay(day.date, language)}</time> {day.name}
                {day.from ? ` (${day.from}–${day.until})` : ''}
              </li>
            ))}
          </ul>
        </Form>
      )}
    </Modal>
  )
}
