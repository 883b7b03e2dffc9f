import { Modal } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useBlocker } from 'react-router'

/** Asks before a page is left on which a job is running: Back, a link, a closed tab. */
export function LeaveWarning({ isRunning }: { isRunning: boolean }) {
  const { t } = useTranslation('bulk')
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isRunning && currentLocation.pathname !== nextLocation.pathname,
  )
  useEffect(() => {
    if (!isRunning) return
    const handleUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', handleUnload)
    return () => window.removeEventListener('beforeunload', handleUnload)
  }, [isRunning])
  return (
    <Modal
      open={blocker.state === 'blocked'}
      title={t('leaveTitle')}
      okText={t('leave')}
      cancelText={t('stay')}
      okButtonProps={{ danger: true }}
      onOk={() => blocker.proceed?.()}
      onCancel={() => blocker.reset?.()}
    >
      <p>{t('leaveText')}</p>
    </Modal>
  )
}
