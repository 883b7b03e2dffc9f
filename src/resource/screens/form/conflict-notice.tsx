import { Alert, Button, Space } from 'antd'
import { useTranslation } from 'react-i18next'

interface ConflictNoticeProps {
  /** Labels of what the other person changed. */
  fields: readonly string[]
  onTakeTheirs: () => void
  onKeepMine: () => void
}

/** Somebody saved the same record first. What was typed stays until its author chooses. */
export function ConflictNotice({ fields, onTakeTheirs, onKeepMine }: ConflictNoticeProps) {
  const { t } = useTranslation('engine')
  return (
    <Alert
      className="k-form-notice"
      type="warning"
      showIcon
      role="alert"
      title={t('form.conflictTitle')}
      description={
        <>
          <p>{t('form.conflictText')}</p>
          {fields.length > 0 ? <p>{t('form.conflictFields', { fields: fields.join(', ') })}</p> : null}
          <Space wrap>
            <Button onClick={onTakeTheirs}>{t('form.takeTheirs')}</Button>
            <Button type="primary" onClick={onKeepMine}>
              {t('form.keepMine')}
            </Button>
          </Space>
        </>
      }
    />
  )
}
