import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { PasswordForm } from '@/pages/settings/password-form'
import '@/pages/settings/settings.css'

/** Changes the password of people who may not open the settings. */
export function PasswordDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['settings', 'auth'])
  return (
    <Modal open title={t('password.save')} footer={null} onCancel={onClose}>
      <p>{t('password.intro')}</p>
      <PasswordForm onDone={onClose} />
    </Modal>
  )
}
