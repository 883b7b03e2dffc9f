import { type KeyboardEvent, useRef } from 'react'

export interface ShowTab {
  name: string
  label: string
}

interface ShowTabsProps {
  label: string
  tabs: readonly ShowTab[]
  current: string
  onChange: (name: string) => void
}

/** Tabs by the book: one stop in the tab order, arrows move between them. */
export function ShowTabs({ label, tabs, current, onChange }: ShowTabsProps) {
  const list = useRef<HTMLDivElement>(null)
  const index = tabs.findIndex(({ name }) => name === current)
  const handleKey = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: -1 }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = tabs.at(step % tabs.length)
    if (!next) return
    onChange(next.name)
    list.current?.querySelector<HTMLElement>(`#tab-${next.name}`)?.focus()
  }
  return (
    <div className="k-tabs" role="tablist" aria-label={label} ref={list} onKeyDown={handleKey}>
      {tabs.map(({ name, label: text }) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          aria-selected={name === current}
          aria-controls={name === current ? `panel-${name}` : undefined}
          tabIndex={name === current ? 0 : -1}
          onClick={() => onChange(name)}
        >
          {text}
        </button>
      ))}
    </div>
  )
}
