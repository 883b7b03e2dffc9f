/** The indexes of the longest part of the list that ascends already, so that as few records as possible are written. */
function ascending(values: readonly number[]): Set<number> {
  const ends: number[] = []
  const before: number[] = []
  for (const [at, value] of values.entries()) {
    if (Number.isNaN(value)) continue
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((values[ends[middle] ?? -1] ?? Number.POSITIVE_INFINITY) < value) low = middle + 1
      else high = middle
    }
    before[at] = ends[low - 1] ?? -1
    ends[low] = at
  }
  const kept = new Set<number>()
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) kept.add(at)
  return kept
}

/** Room between two records, so that a later one fits between them without another being written. */
const STEP = 10

/**
 * Whole numbers that ascend in the order of the list, within the bounds, with as many of the given ones kept as
 * possible; null where the bounds hold fewer numbers than there are records.
 */
export function placesFor(
  values: readonly number[],
  { min, max }: { min: number; max: number },
): number[] | null {
  if (max - min + 1 < values.length) return null
  const kept = ascending(values.map((value) => (value >= min && value <= max ? value : Number.NaN)))
  const places = [...values]
  let isRoomy = true
  for (let at = 0; at < places.length && isRoomy; at++) {
    if (kept.has(at)) continue
    let end = at
    while (end < places.length && !kept.has(end)) end++
    const missing = end - at
    const low = at === 0 ? min - 1 : (places[at - 1] ?? min)
    const isLast = end === places.length
    const high = isLast ? Math.min(max + 1, low + STEP * (missing + 1)) : (places[end] ?? max)
    const step = Math.floor((high - low) / (missing + 1))
    if (step < 1) isRoomy = false
    else for (let n = 0; n < missing; n++) places[at + n] = low + step * (n + 1)
    at = end - 1
  }
  if (isRoomy) return places
  const step = Math.max(1, Math.min(STEP, Math.floor((max - min) / values.length)))
  const first = values.length * step + min <= max ? min + step : min
  return values.map((_, at) => first + at * step)
}
