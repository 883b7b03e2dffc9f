import { Modal } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useBlocker } from 'react-router'

interface LeaveGuardProps {
  /** Asked at the moment of leaving, so that a save just before is already known. */
  isDirty: () => boolean
}

/** Asks before unsaved work is lost: links, the browser's Back, a closed tab. */
export function LeaveGuard({ isDirty }: LeaveGuardProps) {
  const { t } = useTranslation('engine')
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname && isDirty(),
  )
  useEffect(() => {
    const handleUnload = (event: BeforeUnloadEvent) => {
      if (isDirty()) event.preventDefault()
    }
    window.addEventListener('beforeunload', handleUnload)
    return () => window.removeEventListener('beforeunload', handleUnload)
  }, [isDirty])
  return (
    <Modal
      open={blocker.state === 'blocked'}
      title={t('form.leaveTitle')}
      okText={t('form.leave')}
      cancelText={t('form.stay')}
      okButtonProps={{ danger: true }}
      onOk={() => blocker.proceed?.()}
      onCancel={() => blocker.reset?.()}
    >
      <p>{t('form.leaveText')}</p>
    </Modal>
  )
}
