/** Edit distance with swaps of neighbors (optimal string alignment): `colunms` is one step from `columns`. */
export function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? 0
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, at(i - 2, j - 2) + 1)
      row.push(best)
    }
  }
  return at(a.length, b.length)
}

/** The longest name that is compared: comparing two texts takes the product of their lengths. */
const MAX_LENGTH = 200

/** The candidate that was probably meant, if one is near enough: a third of its letters at most. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  let best: { candidate: string; steps: number } | undefined
  if (word.length > MAX_LENGTH) return undefined
  for (const candidate of candidates) {
    const limit = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3))
    if (Math.abs(word.length - candidate.length) > limit) continue
    const steps = distance(word.toLowerCase(), candidate.toLowerCase())
    if (steps <= limit && (!best || steps < best.steps)) best = { candidate, steps }
  }
  return best?.candidate
}
