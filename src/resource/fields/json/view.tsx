import { Blank } from '@/resource/fields/cell-parts'
import type { CellProps } from '@/resource/fields/kind-interface'

export function Cell({ value, dense }: CellProps<'json'>) {
  if (value === null || value === undefined) return <Blank />
  if (dense) return <span className="k-cell-text k-mono">{JSON.stringify(value)}</span>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre className="k-pre" tabIndex={0}>
      {JSON.stringify(value, null, 2)}
    </pre>
  )
}
