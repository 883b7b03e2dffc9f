import { type PatternNode, type Range, readPattern } from '@/resource/language/inspect/pattern-tree'

/** How far repetitions are written out: `{2,3}` as copies, `{1,63}` as endless. */
interface Detail {
  /** From this many further repetitions on, a loop counts as endless. */
  endless: number
  /** Fixed repetitions are written out up to here. */
  copies: number
}

/** In descending order of precision. A large pattern uses the first one that stays small enough. */
const DETAILS: Detail[] = [
  { endless: 10, copies: 40 },
  { endless: 4, copies: 4 },
  { endless: 2, copies: 1 },
]
const MAX_PLACES = 250
/** The linter runs while a definition is typed, so that a pattern beyond this is given no verdict. */
const MAX_STEPS = 1_000_000

type Loop = PatternNode & { kind: 'loop' }

interface Part {
  /** Ways to match nothing. */
  empty: number
  first: Map<number, number>
  last: Map<number, number>
}

const ways = (count: number): number => Math.min(count, 2)

function add(into: Map<number, number>, from: ReadonlyMap<number, number>, times = 1): void {
  if (times === 0) return
  for (const [place, count] of from) into.set(place, ways((into.get(place) ?? 0) + count * times))
}

/**
 * The places of a pattern that read a character, with the number of ways from each to the next (two means
 * more). Glushkov's automaton, with ambiguity kept.
 */
class Places {
  readonly sets: (readonly Range[])[] = []
  readonly follow: Map<number, number>[] = []
  readonly loops: { text: string; from: number; to: number }[] = []
  constructor(private readonly detail: Detail) {}

  part(node: PatternNode): Part {
    switch (node.kind) {
      case 'set': {
        const place = this.sets.push(node.ranges) - 1
        this.follow.push(new Map())
        return { empty: 0, first: new Map([[place, 1]]), last: new Map([[place, 1]]) }
      }
      case 'sequence':
        return node.nodes.reduce<Part>((part, next) => this.join(part, this.part(next)), NOTHING)
      case 'choice': {
        const parts = node.nodes.map((each) => this.part(each))
        const [first, last] = [new Map<number, number>(), new Map<number, number>()]
        for (const part of parts) {
          add(first, part.first)
          add(last, part.last)
        }
        return { empty: ways(parts.reduce((sum, { empty }) => sum + empty, 0)), first, last }
      }
      case 'loop':
        return this.loop(node)
    }
  }

  private join(a: Part, b: Part): Part {
    this.connect(a, b)
    const [first, last] = [new Map(a.first), new Map(b.last)]
    add(first, b.first, a.empty)
    add(last, a.last, b.empty)
    return { empty: ways(a.empty * b.empty), first, last }
  }

  private connect(a: Part, b: Part): void {
    for (const [place, count] of a.last) {
      const next = this.follow[place]
      if (next) add(next, b.first, count)
    }
  }

  private loop({ node, min, max, text }: Loop): Part {
    const from = this.sets.length
    const { endless, copies } = this.detail
    const isEndless = goesOn({ node, min, max }, endless)
    const fixed = Math.min(min, copies)
    let part = NOTHING
    // The last of the fixed repetitions goes on as the endless one.
    for (let copy = isEndless ? 1 : 0; copy < fixed; copy++) part = this.join(part, this.part(node))
    if (isEndless) {
      const body = this.part(node)
      this.connect(body, body)
      // A repetition that reads nothing ends a loop.
      part = this.join(part, { ...body, empty: min === 0 ? 1 : body.empty })
    } else if (max > min) part = this.join(part, this.optional(node, max - min))
    if (max > 1) this.loops.push({ text, from, to: this.sets.length })
    return part
  }

  private optional(node: PatternNode, times: number): Part {
    const body = this.part(node)
    const whole = times > 1 ? this.join(body, this.optional(node, times - 1)) : body
    return { ...whole, empty: 1 }
  }
}

/** Whether a loop counts as endless; one that repeats another endless one does sooner. */
function goesOn({ node, min, max }: Pick<Loop, 'node' | 'min' | 'max'>, endless: number): boolean {
  const holdsLoop = (each: PatternNode): boolean =>
    each.kind === 'loop'
      ? each.max - each.min >= endless || holdsLoop(each.node)
      : each.kind !== 'set' && each.nodes.some(holdsLoop)
  return max - min >= endless || (max >= endless && holdsLoop(node))
}

/** How many places a pattern has when it is written out. */
function sizeOf(node: PatternNode, detail: Detail): number {
  if (node.kind === 'set') return 1
  if (node.kind !== 'loop') return node.nodes.reduce((sum, each) => sum + sizeOf(each, detail), 0)
  const { min, max } = node
  const fixed = Math.min(min, detail.copies)
  const copies = goesOn(node, detail.endless) ? Math.max(fixed, 1) : fixed + max - min
  return copies * sizeOf(node.node, detail)
}

const NOTHING: Part = { empty: 1, first: new Map(), last: new Map() }

const overlaps = (a: readonly Range[] | undefined, b: readonly Range[] | undefined): boolean =>
  (a ?? []).some(([from, to]) => (b ?? []).some((other) => from <= other[1] && other[0] <= to))

/** Everything that can be reached from a start. */
function reached(start: number, next: (node: number) => Iterable<number>): Set<number> {
  const found = new Set<number>()
  const open = [start]
  for (let node = open.pop(); node !== undefined; node = open.pop())
    for (const other of next(node))
      if (!found.has(other)) {
        found.add(other)
        open.push(other)
      }
  return found
}

/**
 * A place from which one text leads back to it in two ways: each repetition of that text doubles the ways, and a text
 * that fails in the end is tried in all of them.
 */
function doublingPlace({ sets, follow }: Places): number | null {
  const size = sets.length
  let steps = 0
  const after = sets.map((_set, place) => reached(place, (each) => follow[each]?.keys() ?? []))
  const seen = new Set<number>()
  for (let place = 0; place < size; place++) {
    // Places that lead to each other are checked once, by the first of them.
    if (seen.has(place) || !after[place]?.has(place)) continue
    const circle = new Set([...(after[place] ?? [])].filter((each) => after[each]?.has(place)))
    for (const each of circle) seen.add(each)
    const inCircle = new Map(
      [...circle].map((each) => [each, [...(follow[each] ?? [])].filter(([next]) => circle.has(next))]),
    )
    const within = (each: number) => inCircle.get(each) ?? []
    if ([...circle].some((each) => within(each).some(([, count]) => count > 1))) return place
    // Pairs of places that the same text leads to from here, and those that lead back.
    const start = place * size + place
    const back = new Map<number, number[]>()
    const forward = reached(start, (pair) =>
      within(Math.floor(pair / size)).flatMap(([left]) =>
        within(pair % size).flatMap(([right]) => {
          if (++steps > MAX_STEPS || !overlaps(sets[left], sets[right])) return []
          const next = left * size + right
          const before = back.get(next)
          if (before) before.push(pair)
          else back.set(next, [pair])
          return [next]
        }),
      ),
    )
    const isPair = (pair: number) => Math.floor(pair / size) !== pair % size
    if ([...reached(start, (pair) => back.get(pair) ?? [])].some((pair) => forward.has(pair) && isPair(pair)))
      return place
  }
  return null
}

/** The innermost repetition of a pattern that can take exponential time, as it is written; null for none. */
export function explosivePart(pattern: string): string | null {
  for (const node of readPattern(pattern)) {
    const detail = DETAILS.find((each) => sizeOf(node, each) <= MAX_PLACES)
    if (!detail) continue
    const places = new Places(detail)
    places.part(node)
    const place = doublingPlace(places)
    if (place === null) continue
    const around = places.loops.filter(({ from, to }) => from <= place && place < to)
    return around.find(({ text }) => /[*+}]\)*[*+{]|\|/.test(text))?.text ?? around.at(-1)?.text ?? pattern
  }
  return null
}
