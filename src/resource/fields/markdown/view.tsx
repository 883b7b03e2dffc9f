import { Suspense } from 'react'
import { Blank } from '@/resource/fields/cell-parts'
import type { CellProps } from '@/resource/fields/kind-interface'
import { lazyPart } from '@/ui/load-chunk'

export const MarkdownText = lazyPart(() =>
  import('@/resource/fields/markdown/markdown-text').then((module) => ({ default: module.MarkdownText })),
)

/** In a list the marks would only be noise; on a record the text is rendered. */
export function Cell({ value, dense }: CellProps<'markdown'>) {
  if (typeof value !== 'string' || value === '') return <Blank />
  if (dense) return <span className="k-cell-text">{plainLine(value)}</span>
  return (
    <Suspense fallback={<span className="k-cell-lines">{value}</span>}>
      <MarkdownText text={value} />
    </Suspense>
  )
}

function plainLine(text: string): string {
  return text
    .replace(/```[^\n]*/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s{0,3}(#{1,6}|>|[-*+]|\d+\.)\s+/gm, '')
    .replace(/[*_`~]{1,3}/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
