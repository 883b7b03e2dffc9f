import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { isOtherPage, type Navigation, type UnsavedWork, useLeaving } from '@/ui/leaving'

interface LeaveGuardProps {
  loss: UnsavedWork
  /** Whether there is something to lose, asked at the moment of leaving. */
  isLost: () => boolean
  /** Which ways lose it besides another page and a closed window. */
  isWayOut?: (way: Navigation) => boolean
  title: string
  text: string
  /** A dialog asks the same before it closes itself; null while it does not. */
  closing?: { leave: () => void; stay: () => void } | null
}

/** Asks before unsaved work is lost. */
export function LeaveGuard({ loss, isLost, isWayOut, title, text, closing = null }: LeaveGuardProps) {
  const { t } = useTranslation('common')
  const leaving = useLeaving(
    loss,
    (way) => isLost() && (!way || isOtherPage(way) || isWayOut?.(way) === true),
  )
  const { leave, stay } = closing && !leaving.isAsked ? closing : leaving
  return (
    <Modal
      open={leaving.isAsked || closing !== null}
      title={title}
      okText={t('actions.leave')}
      cancelText={t('actions.stay')}
      okButtonProps={{ danger: true }}
      onOk={leave}
      onCancel={stay}
    >
      <p>{text}</p>
    </Modal>
  )
}

/** Another filter or page of the same list. Addresses that the page rewrites itself do not count. */
export function isOtherList({ historyAction, currentLocation, nextLocation }: Navigation): boolean {
  return historyAction !== 'REPLACE' && currentLocation.search !== nextLocation.search
}
