import { describe, expect, it } from 'vitest'
import { placesFor } from '@/resource/request/query/places'

const BOUNDS = { min: 0, max: 10_000 }
const written = (before: readonly number[], after: readonly number[] | null) =>
  before.filter((value, at) => value !== after?.[at]).length

describe('the numbers of an order', () => {
  it('stay where the list ascends already', () => {
    expect(placesFor([1, 2, 7, 30], BOUNDS)).toEqual([1, 2, 7, 30])
    expect(placesFor([], BOUNDS)).toEqual([])
  })

  it('change for the moved record alone where there is room', () => {
    expect(placesFor([40, 10, 20, 30], BOUNDS)).toEqual([4, 10, 20, 30])
    expect(placesFor([10, 30, 20, 40], BOUNDS)).toEqual([10, 15, 20, 40])
    expect(placesFor([20, 30, 40, 10], BOUNDS)).toEqual([20, 30, 40, 50])
  })

  it('are all written anew where there is no room between two', () => {
    expect(placesFor([1, 3, 2], { min: 1, max: 10_000 })).toEqual([11, 21, 31])
    expect(placesFor([3, 0, 1, 2], BOUNDS)).toEqual([10, 20, 30, 40])
    expect(placesFor([0, 0, 0], BOUNDS)).toEqual([10, 20, 30])
  })

  it('ascend within their bounds for any list, and few are written for one move', () => {
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    for (let turn = 0; turn < 3000; turn++) {
      const min = random(3)
      const size = random(12)
      const bounds = { min, max: min + size + random(60) }
      const values = Array.from({ length: size }, () => random(80) - 5)
      const places = placesFor(values, bounds)
      expect(places).toHaveLength(size)
      for (const [at, place] of (places ?? []).entries()) {
        expect(Number.isInteger(place)).toBe(true)
        expect(place).toBeGreaterThanOrEqual(bounds.min)
        expect(place).toBeLessThanOrEqual(bounds.max)
        if (at > 0) expect(place).toBeGreaterThan(places?.[at - 1] ?? Number.POSITIVE_INFINITY)
      }
    }
    const roomy = Array.from({ length: 200 }, (_, at) => 10 * (at + 1))
    const [first = 0, ...rest] = roomy
    const moved = [...rest.slice(0, 90), first, ...rest.slice(90)]
    expect(written(moved, placesFor(moved, BOUNDS))).toBe(1)
  })

  it('are none where the bounds hold too few', () => {
    expect(placesFor([1, 2, 3], { min: 1, max: 2 })).toBeNull()
  })
})
