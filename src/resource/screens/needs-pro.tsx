import CrownOutlined from '@ant-design/icons/es/icons/CrownOutlined'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCan, useDenialText } from '@/access/use-can'
import { useProPageNames } from '@/resource/language/pro-pages'
import { useResourceLabels } from '@/resource/language/words'
import { StatePanel } from '@/ui/state-panel'

/** The page that shows the license, for users who may see it. */
const LICENSE_PATH = '/system-license'

/** In place of a page that the company's license does not include: what the larger one opens. */
export function NeedsPro({ resource }: { resource: string }) {
  const { t } = useTranslation('engine')
  const can = useCan()
  const denialText = useDenialText()
  const labels = useResourceLabels()
  const added = useProPageNames()
  return (
    <StatePanel
      role="alert"
      icon={<CrownOutlined aria-hidden="true" />}
      title={t('pro.title', { name: labels(resource).page })}
      text={
        <>
          {t('pro.text')} {added.join(', ')}.
          <br />
          {denialText('without-pro')}
        </>
      }
      action={
        can('system-license', 'list').allowed ? <Link to={LICENSE_PATH}>{t('pro.license')}</Link> : undefined
      }
    />
  )
}
