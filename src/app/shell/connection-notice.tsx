import { useTranslation } from 'react-i18next'
import { useConnectionCheck } from '@/refine/query-client'
import { useIsConnectionLost } from '@/ui/connection-lost'
import { useChunkProblem } from '@/ui/load-chunk'
import { Notice } from '@/ui/notice'
import { PlainButton } from '@/ui/plain-button'

export function ConnectionNotice() {
  const { t } = useTranslation('common')
  const problem = useChunkProblem()
  const isLost = useIsConnectionLost()
  useConnectionCheck(problem === 'offline')
  if (problem === 'outdated') {
    return (
      <Notice
        tone="warning"
        role="status"
        title={t('outdated.title')}
        text={t('outdated.text')}
        action={<PlainButton onClick={() => window.location.reload()}>{t('states.reload')}</PlainButton>}
      />
    )
  }
  if (!isLost && problem === null) return null
  return <Notice tone="warning" role="status" title={t('offline.title')} text={t('offline.text')} />
}
