import { type KeyboardEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { ScrollArrows, scrollToChild, useScrollEdges } from '@/ui/scroll-edges'
import '@/resource/screens/show/show.css'

export interface ShowTab {
  name: string
  label: string
  /** The number of records in the tab, shown above zero. */
  count?: number | undefined
  /** The number of errors in the tab. */
  errors?: number
}

interface ShowTabsProps {
  /** A prefix of ids, so that the tabs of a form in a dialog differ from those of the page under it. */
  prefix?: string
  label: string
  tabs: readonly ShowTab[]
  current: string
  onChange: (name: string) => void
}

/** Tabs by the book: one stop in the tab order, arrows move between them. */
export function ShowTabs({ prefix, label, tabs, current, onChange }: ShowTabsProps) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const [list, setList] = useState<HTMLDivElement | null>(null)
  useScrollEdges(list)
  // The tab that an address opens may lie beyond the edge.
  useEffect(() => {
    const tab = list?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(current)}"]`)
    if (list && tab) scrollToChild(list, tab)
  }, [list, current])
  const tabId = (name: string) => (prefix ? `${prefix}-tab-${name}` : `tab-${name}`)
  const panelId = (name: string) => (prefix ? `${prefix}-panel-${name}` : `panel-${name}`)
  const index = tabs.findIndex(({ name }) => name === current)
  const handleKey = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: -1 }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = tabs.at(step % tabs.length)
    if (!next) return
    onChange(next.name)
    list?.querySelector<HTMLElement>(`#${tabId(next.name)}`)?.focus()
  }
  return (
    <div className="k-more">
      <div className="k-tabs k-fading" role="tablist" aria-label={label} ref={setList} onKeyDown={handleKey}>
        {tabs.map(({ name, label: text, count = 0, errors = 0 }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={tabId(name)}
            data-tab={name}
            aria-selected={name === current}
            aria-controls={name === current ? panelId(name) : undefined}
            tabIndex={name === current ? 0 : -1}
            onClick={() => onChange(name)}
          >
            {text}
            {count > 0 ? (
              <>
                {' '}
                <span className="k-tab-count">{formatNumber(count, language)}</span>
              </>
            ) : null}
            {errors > 0 ? (
              <span className="k-tab-errors">{t('form.mistakes', { count: errors })}</span>
            ) : null}
          </button>
        ))}
      </div>
      <ScrollArrows scroller={list} />
    </div>
  )
}
