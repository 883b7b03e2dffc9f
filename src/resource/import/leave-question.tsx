import { Modal } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useBlocker } from 'react-router'

interface LeaveQuestionProps {
  /** Whether something would be lost: the page asks before a link, Back or a closed tab. */
  isWatching: boolean
  isRunning: boolean
  /** Asked by the dialog's own ways out. */
  isAsked: boolean
  onLeave: () => void
  onStay: () => void
}

/** Asks before a file and its choices are forgotten, or an import's end is not seen. */
export function LeaveQuestion({ isWatching, isRunning, isAsked, onLeave, onStay }: LeaveQuestionProps) {
  const { t } = useTranslation('import')
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isWatching && currentLocation.pathname !== nextLocation.pathname,
  )
  useEffect(() => {
    if (!isWatching) return
    const handleUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', handleUnload)
    return () => window.removeEventListener('beforeunload', handleUnload)
  }, [isWatching])
  return (
    <Modal
      open={isAsked || blocker.state === 'blocked'}
      title={t('leave.title')}
      okText={t('leave.leave')}
      cancelText={t('leave.stay')}
      okButtonProps={{ danger: true }}
      onOk={() => (blocker.state === 'blocked' ? blocker.proceed() : onLeave())}
      onCancel={() => {
        blocker.reset?.()
        onStay()
      }}
    >
      <p>{isRunning ? t('leave.running') : t('leave.text')}</p>
    </Modal>
  )
}
