import { useTranslation } from 'react-i18next'
import type { DefinitionProblem } from '@/resource/inspect/problems'
import { ErrorState } from '@/ui/error-state'
import '@/resource/show/show.css'

/** Tells the maintainer of the file where it is wrong and what to write instead. */
export function BrokenDefinition({ problems }: { problems: readonly DefinitionProblem[] }) {
  const { t } = useTranslation('engine')
  return (
    <div className="k-broken">
      <ErrorState title={t('broken.title')} text={t('broken.text')} />
      <ul className="k-broken-list">
        {problems.map(({ file, line, message, hint }) => (
          <li key={`${line}:${message}`}>
            <strong>{t('broken.line', { file, line })}</strong>
            <span>{message}</span>
            {hint ? <span>{hint}</span> : null}
          </li>
        ))}
      </ul>
    </div>
  )
}
