import type { ReactNode } from 'react'
import { isColored, isPaused } from '@/resource/fields/cell-parts'
import type { CellProps } from '@/resource/fields/kind-interface'
import { findDefinition } from '@/resource/language/registry'
import { useFieldWord } from '@/resource/language/words'
import { Countdown } from '@/ui/countdown'

type DeadlineProps = CellProps<'datetime'>

/** The earliest other deadline of the record that counts down, where it ends before the field's own. */
function earlierOf({ value, field, row, resource }: DeadlineProps): string | undefined {
  const definition = findDefinition(resource)
  const counts = ({ color_when, paused_when }: typeof field) =>
    isColored({ color_when }, resource, row) && !isPaused({ paused_when }, resource, row)
  const timeOf = (name: string) => Date.parse(String(row[name]))
  const others = (field.or_earlier ?? []).filter((name) => {
    const other = definition?.fields[name]
    return other?.type === 'datetime' && counts(other) && !Number.isNaN(timeOf(name))
  })
  const [first] = others.toSorted((a, b) => timeOf(a) - timeOf(b))
  const own = counts(field) ? Date.parse(String(value)) : Number.NaN
  return first !== undefined && !(own <= timeOf(first)) ? first : undefined
}

/** Shows another deadline of the record by its name, or the children where no other one is earlier. */
export function EarlierOr({ children, ...props }: DeadlineProps & { children: ReactNode }) {
  const label = useFieldWord(props.resource)
  const name = earlierOf(props)
  if (name === undefined) return children
  return (
    <>
      <Countdown value={String(props.row[name])} />
      <span className="k-soft k-earlier">{label(name)}</span>
    </>
  )
}
