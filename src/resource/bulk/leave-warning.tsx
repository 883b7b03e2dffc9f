import { Modal } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useBlocker } from 'react-router'

/** Asks before a page is left on which a job is running: Back, a link, a closed tab. */
export function LeaveWarning({ isRunning, text }: { isRunning: boolean; text?: string }) {
  const { t } = useTranslation('bulk')
  // Another filter of the same list, by Back, takes the job along too; what the page rewrites by itself does not.
  const blocker = useBlocker(
    ({ currentLocation, nextLocation, historyAction }) =>
      isRunning &&
      (currentLocation.pathname !== nextLocation.pathname ||
        (historyAction !== 'REPLACE' && currentLocation.search !== nextLocation.search)),
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
      <p>{text ?? t('leaveText')}</p>
    </Modal>
  )
}
