import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { FieldCell } from '@/resource/fields/cells'
import { showPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { RelativeTime } from '@/ui/relative-time'
import css from './ticket-side.module.css'

interface SideListProps<Entry extends { id: string }> {
  title: string
  entries: readonly Entry[]
  children: (entry: Entry) => ReactNode
}

/** A short list with a heading; nothing while it is empty. */
export function SideList<Entry extends { id: string }>({ title, entries, children }: SideListProps<Entry>) {
  if (entries.length === 0) return null
  return (
    <div>
      <h4 className={css.title}>{title}</h4>
      <ul className={css.list} aria-label={title}>
        {entries.map((entry) => (
          <li key={entry.id}>{children(entry)}</li>
        ))}
      </ul>
    </div>
  )
}

interface MarkProps {
  resource: string
  field: string
  value: string
}

/** A value of another record, with the word and the color that its definition gives it. */
export function Mark({ resource, field: name, value }: MarkProps) {
  const field = findDefinition(resource)?.fields[name]
  if (!field) return null
  return (
    <FieldCell value={value} field={field} name={name} resource={resource} row={{ [name]: value }} dense />
  )
}

interface StatusMarkProps {
  name: string
  color: string | null
}

/** The company's own status of a ticket, by its name and color. */
export function StatusMark({ name, color }: StatusMarkProps) {
  return (
    <span className="k-color">
      {color ? <span className="k-swatch" aria-hidden="true" style={{ background: color }} /> : null}
      <span>{name}</span>
    </span>
  )
}

interface EntryLinkProps {
  resource: string
  id: string
  label: string
  /** A value of the record, or of another `resource`. */
  mark?: { resource?: string; field: string; value: string }
  at?: string | null
  children?: ReactNode
}

export function EntryLink({ resource, id, label, mark, at, children }: EntryLinkProps) {
  const definition = findDefinition(resource)
  return (
    <span className={css.entry}>
      {definition ? <Link to={showPath(definition, id)}>{label}</Link> : label}
      {mark ? <Mark resource={resource} {...mark} /> : null}
      {children}
      {at ? (
        <span className="k-soft">
          <RelativeTime value={at} />
        </span>
      ) : null}
    </span>
  )
}
