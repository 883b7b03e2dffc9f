import { Form, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import css from './start.module.css'

const HOURS = ['1', '24', '168', '720'] as const
const USUAL = '24'

export type JobHours = (typeof HOURS)[number]

/** The server's own choice is a day, and needs no clock of this machine. */
export const expiresAt = (hours: JobHours | undefined): string | null =>
  hours === undefined || hours === USUAL
    ? null
    : new Date(Date.now() + Number(hours) * 3_600_000).toISOString()

/** How long a job waits for devices that are offline; the form's value `hours`. */
export function JobExpiry() {
  const { t } = useTranslation('jobs')
  return (
    <Form.Item name="hours" label={t('expiry.label')} extra={t('expiry.help')} initialValue={USUAL}>
      <Select
        className={css.hours}
        options={HOURS.map((value) => ({ value, label: t(`expiry.hours.${value}`) }))}
      />
    </Form.Item>
  )
}
