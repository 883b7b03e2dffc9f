import { useTranslation } from 'react-i18next'
import type { Definition } from '@/resource/definition/definition.generated'
import { listOf } from '@/resource/definition/naming'
import { useWords } from '@/resource/words'

interface ViewTabsProps {
  definition: Definition
  current: string | null
  onChange: (view: string | null) => void
}

/** The quick filters of the definition, one press each. */
export function ViewTabs({ definition, current, onChange }: ViewTabsProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const views = Object.keys(listOf(definition)?.views ?? {})
  if (views.length === 0) return null
  return (
    <fieldset className="k-views" aria-label={t('list.views')}>
      {[null, ...views].map((view) => (
        <button
          key={view ?? ''}
          type="button"
          className="k-view"
          aria-pressed={view === current}
          onClick={() => onChange(view)}
        >
          {view === null ? t('list.all') : words.view(view)}
        </button>
      ))}
    </fieldset>
  )
}
