import { describe, expect, it } from 'vitest'
import { DeniedError, LinkError } from '@/data/errors'
import {
  type BulkReport,
  doneCount,
  FIRST_SIZE,
  MAX_LISTED,
  nextSize,
  type RowOutcome,
  runBatches,
} from '@/resource/tools/bulk/bulk-run'

const ids = (count: number) => Array.from({ length: count }, (_, index) => `row-${index}`)
const changed = (rows: readonly string[]): Promise<RowOutcome[]> =>
  Promise.resolve(rows.map((id) => ({ id, outcome: 'changed' })))
/** A clock on which every batch takes as long as it has rows. */
const slow = () => {
  let time = 0
  return { tick: (rows: number) => (time += rows), now: () => time }
}

describe('a job over many rows', () => {
  it('writes every row once, in order, in batches of at most 1,000', async () => {
    const batches: (readonly string[])[] = []
    const report = await runBatches({
      ids: ids(5000),
      write: (rows) => {
        batches.push(rows)
        return changed(rows)
      },
      isCanceled: () => false,
      onProgress: () => undefined,
      now: () => 0,
    })
    expect(batches.flat()).toEqual(ids(5000))
    expect(Math.max(...batches.map(({ length }) => length))).toBe(1000)
    expect(report).toMatchObject({ total: 5000, left: [], error: null, counts: { changed: 5000 } })
  })

  it('makes the next batch smaller when the last one took long, and never too small or large', () => {
    expect(nextSize(FIRST_SIZE, 1)).toBe(400)
    expect(nextSize(1000, 1)).toBe(1000)
    expect(nextSize(1000, 8000)).toBe(250)
    expect(nextSize(40, 60_000)).toBe(25)
    expect(nextSize(100, 800)).toBe(100)
  })

  it('tells of each batch as it ends', async () => {
    const clock = slow()
    const seen: number[] = []
    await runBatches({
      ids: ids(450),
      write: (rows) => {
        clock.tick(4 * rows.length)
        return changed(rows)
      },
      isCanceled: () => false,
      onProgress: (report) => seen.push(doneCount(report)),
      now: clock.now,
    })
    expect(seen).toEqual([200, 400, 450])
  })

  it('stops between two batches when it is canceled, reports the remaining rows, and continues from there', async () => {
    let isCanceled = false
    const done: string[] = []
    const write = (rows: readonly string[]) => {
      done.push(...rows)
      return changed(rows)
    }
    const first = await runBatches({
      ids: ids(3000),
      write,
      isCanceled: () => isCanceled,
      onProgress: () => {
        isCanceled = done.length > 500
      },
      now: () => 0,
    })
    expect(first.error).toBeNull()
    expect(done.length).toBeLessThan(3000)
    expect([...done, ...first.left]).toEqual(ids(3000))
    const second = await runBatches({
      ids: first.left,
      write,
      before: first,
      isCanceled: () => false,
      onProgress: () => undefined,
    })
    expect(done).toEqual(ids(3000))
    expect(second).toMatchObject({ total: 3000, left: [], counts: { changed: 3000 } })
  })

  it('does nothing when it is canceled before it begins', async () => {
    const report = await runBatches({
      ids: ids(3),
      write: changed,
      isCanceled: () => true,
      onProgress: () => undefined,
    })
    expect(report).toMatchObject({ left: ids(3), counts: { changed: 0 } })
  })

  it('stops at a batch that fails as a whole, keeps what was done, and leaves that batch to be tried again', async () => {
    const denied = new DeniedError('no', 'read-only')
    const report = await runBatches({
      ids: ids(600),
      write: (rows) => (rows.includes('row-300') ? Promise.reject(denied) : changed(rows)),
      isCanceled: () => false,
      onProgress: () => undefined,
      now: () => 0,
    })
    expect(report.error).toBe(denied)
    expect(report.counts.changed).toBe(200)
    expect(report.left).toHaveLength(400)
  })

  it('counts all that were not done, and lists the first hundred with their reason', async () => {
    const held = new LinkError('held')
    const outcomes = (rows: readonly string[]): RowOutcome[] =>
      rows.map((id, index) => {
        if (index % 3 === 0) return { id, outcome: 'gone' }
        return index % 3 === 1 ? { id, outcome: 'refused', error: held } : { id, outcome: 'same' }
      })
    const report: BulkReport = await runBatches({
      ids: ids(600),
      write: (rows) => Promise.resolve(outcomes(rows)),
      isCanceled: () => false,
      onProgress: () => undefined,
      now: () => 0,
    })
    const { gone, refused, same, changed: done } = report.counts
    expect(gone + refused + same + done).toBe(600)
    expect(refused).toBeGreaterThan(190)
    expect(report.listed).toHaveLength(MAX_LISTED)
    expect(report.listed.every(({ outcome }) => outcome === 'gone' || outcome === 'refused')).toBe(true)
    expect(report.listed.find(({ outcome }) => outcome === 'refused')?.error).toBe(held)
  })
})
