import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useCan } from '@/access/use-can'
import { Blank, useFieldLinks } from '@/resource/fields/cell-parts'
import { definitionOfTable } from '@/resource/fields/diff/changes'
import type { CellProps } from '@/resource/fields/kind-interface'
import { hasShow, showPath } from '@/resource/language/naming'
import { usePhrase } from '@/resource/language/phrases'
import { CopyButton } from '@/ui/copy-button'

/** A sentence of the database or of a device, in the reader's language. */
function Phrase({ text }: { text: string }) {
  return usePhrase()(text)
}

function LinkedText({ text, table, id }: { text: ReactNode; table: string; id: string }) {
  const can = useCan()
  const target = definitionOfTable(table)
  if (!target || !hasShow(target) || !can(target.name, 'show').allowed)
    return <span className="k-cell-text">{text}</span>
  return (
    <Link className="k-cell-text" to={showPath(target, id)}>
      {text}
    </Link>
  )
}

function TextCell({ value, field, row, dense }: CellProps<'text'>) {
  if (value === null || value === undefined || value === '') return <Blank />
  const shown = field.phrases ? <Phrase text={String(value)} /> : String(value)
  if (field.record)
    return (
      <LinkedText text={shown} table={String(row[field.record.table])} id={String(row[field.record.id])} />
    )
  if (dense) return <span className="k-cell-text">{shown}</span>
  if (!field.copy) return <span className="k-cell-lines">{shown}</span>
  return (
    <span className="k-cell-copy">
      <span>{String(value)}</span>
      <CopyButton text={String(value)} iconOnly type="text" size="small" />
    </span>
  )
}

function LinesCell({ value, field, dense }: CellProps<'textarea'>) {
  if (typeof value !== 'string' || value === '') return <Blank />
  return (
    <span className={dense ? 'k-cell-text' : 'k-cell-lines'}>
      {field.phrases ? <Phrase text={value} /> : value}
    </span>
  )
}

function EmailCell({ value }: CellProps<'email'>) {
  const isLinked = useFieldLinks()
  if (typeof value !== 'string' || value === '') return <Blank />
  if (!isLinked) return <span>{value}</span>
  return <a href={`mailto:${value}`}>{value}</a>
}

function UrlCell({ value }: CellProps<'url'>) {
  const isLinked = useFieldLinks()
  if (typeof value !== 'string' || value === '') return <Blank />
  // A stored `javascript:` address is shown, never linked.
  if (!isLinked || !/^https?:/i.test(value)) return <span>{value}</span>
  return (
    <a href={value} target="_blank" rel="noreferrer noopener">
      {value.replace(/^https?:\/\//i, '')}
    </a>
  )
}

function AddressCell({ value }: CellProps<'ip' | 'mac'>) {
  if (typeof value !== 'string' || value === '') return <Blank />
  return <span className="k-mono">{value}</span>
}

export const cells = {
  text: TextCell,
  textarea: LinesCell,
  email: EmailCell,
  url: UrlCell,
  ip: AddressCell,
  mac: AddressCell,
}
