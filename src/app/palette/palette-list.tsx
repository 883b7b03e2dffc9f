import { getListboxItemId, KBAR_LISTBOX } from '@refinedev/kbar'
import { type ReactNode, useEffect } from 'react'

interface Option {
  key: string
  label: string
  detail?: string
  /** A second line below the label: why a record was found. */
  note?: string | undefined
  icon: ReactNode
  run: () => void
}

export interface OptionGroup {
  key: string
  label: string
  options: readonly Option[]
}

interface PaletteListProps {
  label: string
  groups: readonly OptionGroup[]
  activeIndex: number
  /** Shown when there is nothing to choose. */
  empty: string
  onActivate: (index: number) => void
  onChoose: (index: number) => void
}

/** The library's own list reads headings out as options; here they label their group. */
export function PaletteList({ label, groups, activeIndex, empty, onActivate, onChoose }: PaletteListProps) {
  useEffect(() => {
    document.getElementById(getListboxItemId(activeIndex))?.scrollIntoView({ block: 'nearest' })
  }, [activeIndex])

  let next = 0
  return (
    <div className="k-palette-list" role="listbox" id={KBAR_LISTBOX} aria-label={label}>
      {groups.length === 0 ? (
        <div
          className="k-palette-empty"
          role="option"
          id={getListboxItemId(0)}
          tabIndex={-1}
          aria-selected={false}
          aria-disabled="true"
        >
          {empty}
        </div>
      ) : null}
      {groups.map((group) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset has no place among the choices of a list
        <div key={group.key} role="group" aria-labelledby={`palette-${group.key}`}>
          <div className="k-palette-group" id={`palette-${group.key}`} role="presentation">
            {group.label}
          </div>
          {group.options.map((option) => {
            const index = next
            next += 1
            return (
              <button
                key={option.key}
                type="button"
                className="k-palette-option"
                role="option"
                id={getListboxItemId(index)}
                tabIndex={-1}
                aria-selected={index === activeIndex}
                onPointerMove={() => {
                  if (index !== activeIndex) onActivate(index)
                }}
                onClick={() => onChoose(index)}
              >
                <span className="k-palette-icon" aria-hidden="true">
                  {option.icon}
                </span>
                <span className="k-palette-label">
                  {option.label}
                  {option.note ? <span className="k-palette-note">{option.note}</span> : null}
                </span>
                {option.detail ? <span className="k-palette-detail">{option.detail}</span> : null}
              </button>
            )
          })}
        </div>
      ))}
    </div>
  )
}
