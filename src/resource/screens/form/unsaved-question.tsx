import { useTranslation } from 'react-i18next'
import { LeaveQuestion } from '@/ui/leave-question'

interface UnsavedQuestionProps {
  isOpen: boolean
  onLeave: () => void
  onStay: () => void
}

/** Asks before form input or cell edits are lost. */
export function UnsavedQuestion(props: UnsavedQuestionProps) {
  const { t } = useTranslation('engine')
  return <LeaveQuestion {...props} title={t('form.leaveTitle')} text={t('form.leaveText')} />
}
