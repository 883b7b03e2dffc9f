import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useResourceLabels } from '@/resource/language/words'
import { StatePanel } from '@/ui/state-panel'

/** In place of a page whose definition was removed while this window was open. */
export function Removed({ resource }: { resource: string }) {
  const { t } = useTranslation('engine')
  const labels = useResourceLabels()
  return (
    <StatePanel
      role="alert"
      icon={<DeleteOutlined aria-hidden="true" />}
      title={t('removed.title', { name: labels(resource).page })}
      text={t('removed.text')}
      action={<Link to="/">{t('removed.home')}</Link>}
    />
  )
}
