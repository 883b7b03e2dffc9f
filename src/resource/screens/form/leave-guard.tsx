import { Modal } from 'antd'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useBlocker } from 'react-router'

type IsDirty = () => boolean
type Watch = (isDirty: IsDirty) => () => void

const WatchContext = createContext<Watch | null>(null)

interface LeaveGuardProps {
  /** Asked at the moment of leaving, so that a save just before is already known. */
  isDirty: IsDirty
  children: ReactNode
}

/**
 * Asks before unsaved work is lost: links, the browser's Back and Forward, a closed tab. The router takes
 * one such guard at a time, so a form inside another form's dialog reports to the outer one.
 */
export function LeaveGuard(props: LeaveGuardProps) {
  return useContext(WatchContext) ? <Reported {...props} /> : <Guard {...props} />
}

function Reported({ isDirty, children }: LeaveGuardProps) {
  const watch = useContext(WatchContext)
  useEffect(() => watch?.(isDirty), [watch, isDirty])
  return children
}

function Guard({ isDirty, children }: LeaveGuardProps) {
  const reported = useRef(new Set<IsDirty>())
  const watch = useCallback<Watch>((check) => {
    reported.current.add(check)
    return () => reported.current.delete(check)
  }, [])
  const isAnyDirty = useCallback(() => isDirty() || [...reported.current].some((check) => check()), [isDirty])
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => currentLocation.pathname !== nextLocation.pathname && isAnyDirty(),
  )
  useEffect(() => {
    const handleUnload = (event: BeforeUnloadEvent) => {
      if (isAnyDirty()) event.preventDefault()
    }
    window.addEventListener('beforeunload', handleUnload)
    return () => window.removeEventListener('beforeunload', handleUnload)
  }, [isAnyDirty])
  return (
    <WatchContext value={watch}>
      {children}
      <LeaveQuestion
        open={blocker.state === 'blocked'}
        onLeave={() => blocker.proceed?.()}
        onStay={() => blocker.reset?.()}
      />
    </WatchContext>
  )
}

interface LeaveQuestionProps {
  open: boolean
  onLeave: () => void
  onStay: () => void
}

export function LeaveQuestion({ open, onLeave, onStay }: LeaveQuestionProps) {
  const { t } = useTranslation('engine')
  return (
    <Modal
      open={open}
      title={t('form.leaveTitle')}
      okText={t('form.leave')}
      cancelText={t('form.stay')}
      okButtonProps={{ danger: true }}
      onOk={onLeave}
      onCancel={onStay}
    >
      <p>{t('form.leaveText')}</p>
    </Modal>
  )
}
