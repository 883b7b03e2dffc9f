import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'

interface LeaveQuestionProps {
  isOpen: boolean
  title: string
  /** What is lost by it. */
  text: string
  onLeave: () => void
  onStay: () => void
}

/** Asks before something is lost that cannot be had again. */
export function LeaveQuestion({ isOpen, title, text, onLeave, onStay }: LeaveQuestionProps) {
  const { t } = useTranslation('common')
  return (
    <Modal
      open={isOpen}
      title={title}
      okText={t('actions.leave')}
      cancelText={t('actions.stay')}
      okButtonProps={{ danger: true }}
      onOk={onLeave}
      onCancel={onStay}
    >
      <p>{text}</p>
    </Modal>
  )
}
