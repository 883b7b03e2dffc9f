import { useTranslation } from 'react-i18next'
import type { DefinitionProblem } from '@/resource/language/entry'
import { ErrorState } from '@/ui/error-state'
import { Notice } from '@/ui/notice'
import '@/resource/screens/show/show.css'

interface BrokenDefinitionProps {
  problems: readonly DefinitionProblem[]
  /** The last correct version is shown below. */
  isLastShown: boolean
}

/** Tells the maintainer of the file where it is wrong and what to write instead. */
export function BrokenDefinition({ problems, isLastShown }: BrokenDefinitionProps) {
  const { t } = useTranslation('engine')
  const list = (
    <ul className="k-broken-list">
      {problems.map(({ file, line, message, hint }) => (
        <li key={`${line}:${message}`}>
          <strong>{t('broken.line', { file, line })}</strong>
          <span>{message}</span>
          {hint ? <span>{hint}</span> : null}
        </li>
      ))}
    </ul>
  )
  if (isLastShown)
    return (
      <div className="k-broken-notice">
        <Notice tone="warning" role="status" title={t('broken.title')} text={t('broken.lastShown')} />
        {list}
      </div>
    )
  return (
    <div className="k-broken">
      <ErrorState title={t('broken.title')} text={t('broken.text')} />
      {list}
    </div>
  )
}
