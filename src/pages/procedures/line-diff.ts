export type DiffLine = {
  kind: 'same' | 'added' | 'removed'
  text: string
  before: number | null
  after: number | null
}

/** Above this many cells, the table of a line-by-line comparison costs too much memory. */
const CELL_LIMIT = 4_000_000

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\r\n?/g, '\n').split('\n'))

/**
 * The changes from one text to the other, line by line: the longest common subsequence without the equal head
 * and tail. For larger texts the whole middle is shown as replaced, which is correct but coarse.
 */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = linesOf(before)
  const b = linesOf(after)
  let head = 0
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1
  let tail = 0
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  ) {
    tail += 1
  }
  const result: DiffLine[] = []
  const same = (i: number, j: number) =>
    result.push({ kind: 'same', text: a[i] ?? '', before: i + 1, after: j + 1 })
  const removed = (i: number) =>
    result.push({ kind: 'removed', text: a[i] ?? '', before: i + 1, after: null })
  const added = (j: number) => result.push({ kind: 'added', text: b[j] ?? '', before: null, after: j + 1 })

  for (let i = 0; i < head; i += 1) same(i, i)
  const rows = a.length - head - tail
  const columns = b.length - head - tail
  const common = rows * columns > CELL_LIMIT ? null : commonLengths(a, b, head, rows, columns)
  let i = 0
  let j = 0
  while (i < rows && j < columns && common !== null) {
    if (a[head + i] === b[head + j]) {
      same(head + i, head + j)
      i += 1
      j += 1
    } else if (cell(common, columns, i + 1, j) >= cell(common, columns, i, j + 1)) {
      removed(head + i)
      i += 1
    } else {
      added(head + j)
      j += 1
    }
  }
  for (; i < rows; i += 1) removed(head + i)
  for (; j < columns; j += 1) added(head + j)
  for (let k = tail; k > 0; k -= 1) same(a.length - k, b.length - k)
  return result
}

const cell = (table: Uint32Array, columns: number, i: number, j: number): number =>
  table[i * (columns + 1) + j] ?? 0

/** The length of the longest common subsequence of the rests that start at (i, j). */
function commonLengths(a: string[], b: string[], head: number, rows: number, columns: number): Uint32Array {
  const table = new Uint32Array((rows + 1) * (columns + 1))
  for (let i = rows - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) {
      table[i * (columns + 1) + j] =
        a[head + i] === b[head + j]
          ? cell(table, columns, i + 1, j + 1) + 1
          : Math.max(cell(table, columns, i + 1, j), cell(table, columns, i, j + 1))
    }
  }
  return table
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
