import { useNotification } from '@refinedev/core'
import { Button, Form, Input, Modal, Radio } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCache } from '@/refine/use-cache'
import { useRpcCall } from '@/refine/use-rpc'
import type { DialogProps } from '@/resource/engine-context'
import { useErrorText } from '@/resource/use-error-text'
import { useSingleCall } from '@/ui/use-single-call'

const MINUTES = ['60', '240', '1440', '10080'] as const
const MAX_NOTE = 200

interface Values {
  minutes: (typeof MINUTES)[number]
  note?: string
}

/** Keeps the chosen devices from raising alerts for a while, or ends that. */
export function MaintenanceDialog({ records, onClose }: DialogProps) {
  const { t } = useTranslation(['devices', 'common'])
  const errorText = useErrorText()
  const { open } = useNotification()
  const call = useRpcCall()
  const cache = useCache()
  const [form] = Form.useForm<Values>()
  const [isBusy, setBusy] = useState(false)
  const ids = records.map(({ id }) => String(id))
  // A list may not have read the field.
  const hasMaintenance = records.some(
    ({ maintenance_until: until }) =>
      until === undefined || (typeof until === 'string' && Date.parse(until) > Date.now()),
  )

  const set = useSingleCall(async (minutes: number, note?: string) => {
    setBusy(true)
    try {
      const count = await call<number>('set_maintenance', {
        device_ids: ids,
        minutes,
        note: note?.trim() || t('maintenance.title'),
      })
      open?.({
        type: 'success',
        message: minutes > 0 ? t('maintenance.done', { count }) : t('maintenance.ended', { count }),
      })
      void cache.invalidate('devices')
      onClose()
    } catch (error) {
      open?.({ type: 'error', message: t('maintenance.failed'), description: errorText(error) })
    } finally {
      setBusy(false)
    }
  })

  return (
    <Modal
      open
      title={t('maintenance.title')}
      onCancel={onClose}
      width={520}
      footer={[
        hasMaintenance ? (
          <Button key="end" disabled={isBusy} onClick={() => void set(0)}>
            {t('maintenance.end')}
          </Button>
        ) : null,
        <Button key="cancel" onClick={onClose}>
          {t('common:actions.cancel')}
        </Button>,
        <Button key="start" type="primary" loading={isBusy} onClick={form.submit}>
          {t('maintenance.start')}
        </Button>,
      ]}
    >
      <p className="l-first">{t('maintenance.text')}</p>
      <Form<Values>
        form={form}
        layout="vertical"
        initialValues={{ minutes: '60' }}
        onFinish={({ minutes, note }) => void set(Number(minutes), note)}
      >
        <Form.Item name="minutes" label={t('maintenance.duration')}>
          <Radio.Group
            optionType="button"
            options={MINUTES.map((value) => ({ value, label: t(`maintenance.durations.${value}`) }))}
          />
        </Form.Item>
        <Form.Item name="note" label={t('maintenance.note')}>
          <Input maxLength={MAX_NOTE} placeholder={t('maintenance.notePlaceholder')} />
        </Form.Item>
      </Form>
    </Modal>
  )
}
