import { useTranslation } from 'react-i18next'
import { ErrorState } from '@/ui/error-state'

/** A definition names a file that is not there: said where it is missed, instead of a blank. */
export function MissingComponent({ component }: { component: string }) {
  const { t } = useTranslation('engine')
  return <ErrorState title={t('broken.title')} text={t('broken.missingComponent', { component })} />
}
