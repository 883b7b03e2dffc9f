import { Form, InputNumber } from 'antd'
import { useTranslation } from 'react-i18next'
import { MAX_AT_ONCE } from '@/runs/targets/targets'

/** On how many devices a job runs at the same time; the form's value `max_running`, empty for all of them. */
export function JobCap({ count }: { count: number }) {
  const { t } = useTranslation('jobs')
  if (count < 2) return null
  return (
    <Form.Item
      name="max_running"
      label={t('cap.label')}
      extra={t('cap.help')}
      rules={[{ type: 'integer', min: 1, max: MAX_AT_ONCE, message: t('cap.wrong', { max: MAX_AT_ONCE }) }]}
    >
      <InputNumber min={1} max={MAX_AT_ONCE} placeholder={t('cap.all')} className="l-figure" />
    </Form.Item>
  )
}

/** The argument of the function that queues the job. */
export const capOf = (value: number | null | undefined): { max_running?: number } =>
  typeof value === 'number' ? { max_running: value } : {}
