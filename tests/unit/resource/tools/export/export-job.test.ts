import { describe, expect, it } from 'vitest'
import { DeniedError, OfflineError, UnknownError } from '@/data/errors'
import type { Row, RowList, RowPage } from '@/data/rows'
import type { CellValue } from '@/resource/fields/file-values'
import { type ExportProgress, exportJob } from '@/resource/tools/export/export-job'

const PAGE: RowPage = {
  table: 'devices',
  companyId: 'c1',
  select: 'id',
  order: [{ column: 'id', descending: false }],
  page: 3,
  pageSize: 20,
}

/** A table of so many rows, its ids in their order, read as the database is. */
function table(count: number) {
  const asked: RowPage[] = []
  const failures: Error[] = []
  const read = async (page: RowPage): Promise<RowList> => {
    asked.push(page)
    const failure = failures.shift()
    if (failure) throw failure
    const after = page.cursor ? Number(page.cursor.values[0]) : 0
    const length = Math.min(page.pageSize, count - after)
    const rows: Row[] = Array.from({ length }, (_none, index) => ({ id: after + index + 1 }))
    return { rows, hasNext: after + length < count, hasPrevious: after > 0 }
  }
  return { read, asked, failures }
}

function setUp(count: number) {
  const source = table(count)
  const written: CellValue[][] = []
  const told: ExportProgress[] = []
  const waits: number[] = []
  const ends = { count: 0 }
  const run = exportJob({
    page: PAGE,
    read: source.read,
    count: async () => count,
    toCells: (row) => [{ kind: 'number', number: Number(row.id) }],
    writer: {
      add: (row) => written.push([...row]),
      flush: async () => undefined,
      end: async () => {
        ends.count++
      },
    },
    onProgress: (progress) => told.push(progress),
    wait: async (milliseconds) => {
      waits.push(milliseconds)
    },
  })
  const ids = () => written.map(([cell]) => (cell?.kind === 'number' ? cell.number : undefined))
  return { ...source, run, told, waits, ends, ids }
}

const everything = (count: number) => Array.from({ length: count }, (_none, index) => index + 1)
const signal = () => new AbortController().signal

describe('an export', () => {
  it('reads every row once, 1,000 a request, each page behind the last row of the one before', async () => {
    const { run, ids, asked, told, ends } = setUp(4321)
    expect(await run(signal())).toBe(4321)
    expect(ids()).toEqual(everything(4321))
    expect(ends.count).toBe(1)
    // The row that tells whether there are more is read, too, and 1,000 is the most a backend gives.
    expect(asked.map(({ pageSize }) => pageSize + 1)).toEqual([1000, 1000, 1000, 1000, 1000])
    expect(asked.map(({ cursor }) => cursor?.values[0])).toEqual([undefined, 999, 1998, 2997, 3996])
    expect(told.at(-1)).toEqual({ done: 4321, total: 4321, isWaiting: false })
  })

  it('of nothing is a file with its header', async () => {
    const { run, ends } = setUp(0)
    expect(await run(signal())).toBe(0)
    expect(ends.count).toBe(1)
  })

  it('waits while the backend is away, says so, and goes on by itself', async () => {
    const { run, ids, failures, told, waits } = setUp(2500)
    failures.push(new OfflineError('away'), new OfflineError('away'))
    await run(signal())
    expect(ids()).toEqual(everything(2500))
    expect(waits).toEqual([1000, 2000])
    const waiting = told.map(({ isWaiting }) => isWaiting)
    expect(waiting.slice(0, 3)).toContain(true)
    expect(waiting.at(-1)).toBe(false)
  })

  it('that gave up is tried again behind the last row it wrote', async () => {
    const { run, ids, failures, asked, ends, told } = setUp(2500)
    const read = asked
    failures.push(...everything(8).map(() => new OfflineError('away')))
    await expect(run(signal())).rejects.toBeInstanceOf(OfflineError)
    expect(ends.count).toBe(0)
    expect(told.at(-1)?.isWaiting).toBe(false)
    expect(await run(signal())).toBe(2500)
    expect(ids()).toEqual(everything(2500))
    expect(read).toHaveLength(8 + 3)
  })

  it('does not ask again when asking again cannot help', async () => {
    const { run, failures, asked, waits } = setUp(10)
    failures.push(new DeniedError('no', 'role'))
    await expect(run(signal())).rejects.toBeInstanceOf(DeniedError)
    failures.push(new UnknownError('broken'))
    await expect(run(signal())).rejects.toBeInstanceOf(UnknownError)
    expect(asked).toHaveLength(2)
    expect(waits).toEqual([])
  })

  it('ends at once when it is canceled, between pages and while it waits', async () => {
    const controller = new AbortController()
    const { run, ends, failures, ids } = setUp(5000)
    failures.push(new OfflineError('away'))
    const running = run(controller.signal)
    controller.abort()
    await expect(running).rejects.toThrow()
    expect(ends.count).toBe(0)
    expect(ids()).toEqual([])
  })
})
