import { diffArrays } from 'diff'
import { linesOf } from '@/ui/hidden-characters'

export type DiffLine = {
  kind: 'same' | 'added' | 'removed'
  text: string
  before: number | null
  after: number | null
}

/** The time of a comparison grows with the square of the changed lines. */
const MAX_CHANGES = 1500

/**
 * The changes from one text to the other, line by line. Above the maximum the whole text is shown as replaced, which
 * is correct but coarse.
 */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = before === '' ? [] : linesOf(before)
  const b = after === '' ? [] : linesOf(after)
  const parts = diffArrays(a, b, { maxEditLength: MAX_CHANGES }) ?? [
    { removed: true, added: false, value: a },
    { removed: false, added: true, value: b },
  ]
  let old = 0
  let now = 0
  return parts.flatMap(({ added, removed, value }) =>
    value.map((text): DiffLine => {
      if (removed) return { kind: 'removed', text, before: ++old, after: null }
      if (added) return { kind: 'added', text, before: null, after: ++now }
      return { kind: 'same', text, before: ++old, after: ++now }
    }),
  )
}

/** Only the changes and `context` lines around them; a gap is the number of equal lines left out. */
export type DiffChunk = DiffLine | { kind: 'gap'; count: number; key: string }

export function withContext(lines: readonly DiffLine[], context = 3): DiffChunk[] {
  const isNear = new Array<boolean>(lines.length).fill(false)
  lines.forEach((line, index) => {
    if (line.kind === 'same') return
    const end = Math.min(lines.length - 1, index + context)
    for (let k = Math.max(0, index - context); k <= end; k += 1) isNear[k] = true
  })
  const result: DiffChunk[] = []
  let skipped = 0
  const closeGap = (at: number) => {
    if (skipped > 0) result.push({ kind: 'gap', count: skipped, key: `gap-${at}` })
    skipped = 0
  }
  lines.forEach((line, index) => {
    if (isNear[index]) {
      closeGap(index)
      result.push(line)
    } else skipped += 1
  })
  closeGap(lines.length)
  return result
}
