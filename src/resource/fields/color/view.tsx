import { Blank } from '@/resource/fields/cell-parts'
import type { CellProps } from '@/resource/fields/kind-interface'

/** The swatch is for the eye; the text says the same to everyone. */
export function Cell({ value }: CellProps<'color'>) {
  if (typeof value !== 'string' || value === '') return <Blank />
  return (
    <span className="k-color">
      <span className="k-swatch" aria-hidden="true" style={{ background: value }} />
      <span className="k-mono">{value}</span>
    </span>
  )
}
