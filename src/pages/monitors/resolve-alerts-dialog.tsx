import { useNotification } from '@refinedev/core'
import { Modal } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCache } from '@/refine/use-cache'
import { useRpcCall } from '@/refine/use-rpc'
import type { DialogProps } from '@/resource/engine-context'
import { useErrorText } from '@/resource/use-error-text'
import { useSingleCall } from '@/ui/use-single-call'

/** Resolves alerts. It asks only where the check of one still fails. */
export function ResolveAlertsDialog({ records, onClose, onDone = onClose }: DialogProps) {
  const { t } = useTranslation(['monitors', 'resources', 'common'])
  const errorText = useErrorText()
  const { open } = useNotification()
  const call = useRpcCall()
  const cache = useCache()
  const [failing, setFailing] = useState(0)
  const [isBusy, setBusy] = useState(false)
  const hasBegun = useRef(false)
  const ids = records.map(({ id }) => String(id))

  const attempt = useSingleCall(async (run: () => Promise<void>) => {
    try {
      await run()
    } catch (error) {
      open?.({ type: 'error', message: t('resolve.failed'), description: errorText(error) })
      onClose()
    }
  })
  const resolve = async () => {
    setBusy(true)
    await call('decide_alerts', { ids, status: 'resolved' })
    open?.({ type: 'success', message: t('resources:alerts.done.resolve', { count: ids.length }) })
    await cache.invalidate('alerts')
    onDone()
  }
  useEffect(() => {
    if (hasBegun.current) return
    hasBegun.current = true
    void attempt(async () => {
      const devices = await call<number>('still_failing', { ids })
      if (devices > 0) setFailing(devices)
      else await resolve()
    })
  })

  return (
    <Modal
      open={failing > 0}
      title={t('resolve.title', { count: ids.length })}
      okText={t('resolve.ok')}
      cancelText={t('common:actions.cancel')}
      confirmLoading={isBusy}
      onOk={() => void attempt(resolve)}
      onCancel={onClose}
    >
      <p>
        <strong>{t('resolve.failing', { count: failing })}</strong>
      </p>
      <p>{t('resolve.text')}</p>
    </Modal>
  )
}
