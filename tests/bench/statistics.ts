export interface Times {
  least: number
  p50: number
  p95: number
}

/** @param samples milliseconds, at least one */
export function times(samples: number[]): Times {
  const sorted = [...samples].sort((a, b) => a - b)
  const at = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
  return { least: at(0), p50: at(0.5), p95: at(0.95) }
}

const milliseconds = (value: number) => (value < 10 ? value.toFixed(1) : value.toFixed(0))

export const showTimes = ({ least, p50, p95 }: Times) => [least, p50, p95].map(milliseconds).join(' / ')

/** Rows as a Markdown table, so that a run can be pasted into a note. */
export function table(head: string[], rows: string[][]): string {
  const widths = head.map((cell, i) => Math.max(cell.length, ...rows.map((row) => (row[i] ?? '').length)))
  const line = (cells: string[]) =>
    `| ${widths.map((width, i) => (cells[i] ?? '').padEnd(width)).join(' | ')} |`
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join(
    '\n',
  )
}
