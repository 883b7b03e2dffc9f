import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import type { ListState } from '@/resource/request/query/list-state'
import { openViews, quickView, type SavedView, viewState } from '@/resource/request/query/saved-views'
import { ScrollArrows, scrollToChild, useScrollEdges } from '@/ui/scroll-edges'

interface ViewTabsProps {
  definition: Definition
  state: ListState
  saved: readonly SavedView[]
  chosen: SavedView | undefined
  onChange: (state: ListState) => void
}

/** The saved views, which people made for themselves, then the quick filters of the definition; one press each. */
export function ViewTabs({ definition, state, saved, chosen, onChange }: ViewTabsProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const can = useCan()
  const [strip, setStrip] = useState<HTMLElement | null>(null)
  useScrollEdges(strip)
  const pressed = chosen?.id ?? state.view
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view in use, which a narrow strip may hide
  useEffect(() => {
    const view = strip?.querySelector('[aria-pressed="true"]')
    if (strip && view) scrollToChild(strip, view)
  }, [strip, pressed])
  const views = openViews(definition, can)
  if (views.length === 0 && saved.length === 0) return null
  const quick = (view: string | null) => (
    <button
      key={view ?? ''}
      type="button"
      className="k-view"
      aria-pressed={chosen === undefined && view === state.view}
      onClick={() => onChange(quickView(state, view, chosen !== undefined, definition, findDefinition))}
    >
      {view === null ? t('list.all') : words.view(view)}
    </button>
  )
  return (
    <div className="k-views-box k-more">
      <div ref={setStrip} className="k-views-strip k-fading">
        <fieldset className="k-views" aria-label={t('list.views')}>
          {quick(null)}
          {saved.map((view) => (
            <button
              key={view.id}
              type="button"
              className="k-view k-view-saved"
              title={view.name}
              aria-pressed={view === chosen}
              onClick={() => onChange(viewState(view, definition, findDefinition))}
            >
              {view.name}
            </button>
          ))}
          {views.map(quick)}
        </fieldset>
      </div>
      <ScrollArrows scroller={strip} />
    </div>
  )
}
