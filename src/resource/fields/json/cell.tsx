import { Blank } from '@/resource/fields/blank'
import type { CellProps } from '@/resource/fields/kind'

export function Cell({ value, dense }: CellProps<'json'>) {
  if (value === null || value === undefined) return <Blank />
  if (dense) return <span className="k-cell-text k-mono">{JSON.stringify(value)}</span>
  return <pre className="k-pre">{JSON.stringify(value, null, 2)}</pre>
}
