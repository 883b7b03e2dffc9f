import { Link } from 'react-router'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { Unseen, useFieldLinks } from '@/resource/fields/cell-parts'
import { hasShow, listOf, showPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { recordTitle } from '@/resource/request/query/title'

interface RecordLinkProps {
  to: string
  id: string
  /** The row, as far as it was fetched. */
  row: Row | null
  /** The database did not give it to this user. */
  isUnseen?: boolean
  /** The link shows its title alone, where it is part of another link. */
  isPlain?: boolean
}

/** Another record by its title, linked where it has a page that the user may open. */
export function RecordLink({ to, id, row, isUnseen = false, isPlain = false }: RecordLinkProps) {
  const can = useCan()
  const isLinked = useFieldLinks()
  const target = findDefinition(to)
  // A record that is not theirs to see: part of its key would tell them nothing.
  if (row === null && (isUnseen || !can(to, 'list').allowed)) return <Unseen />
  const title = row && target ? recordTitle(target, row) : String(row?.name ?? id.slice(0, 8))
  if (isPlain) return <span className="k-cell-text">{title}</span>
  const isOpen =
    can(to, 'show').allowed && (target?.page_object === undefined || can(target.page_object, 'list').allowed)
  const hasPage = isLinked && isOpen && target !== null && listOf(target) !== null && hasShow(target)
  return hasPage ? <Link to={showPath(target, id)}>{title}</Link> : <span>{title}</span>
}
