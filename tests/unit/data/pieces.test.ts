import type { SupabaseClient } from '@supabase/supabase-js'
import { describe, expect, it, vi } from 'vitest'
import { joinPieces, nextPiece, type PieceStart, readPiece } from '@/data/pieces'
import type { Row, RowList, RowPage } from '@/data/rows'

const readPage = vi.hoisted(() => vi.fn())
vi.mock('@/data/rows', () => ({ readPage }))

const client = {} as SupabaseClient
const page: RowPage = {
  table: 'devices',
  companyId: 'c1',
  select: 'id',
  order: [{ column: 'id', descending: false }],
  page: 1,
  pageSize: 1000,
}
const rows = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: String(from + index).padStart(6, '0') }))
const piece = (from: number, count: number, hasNext = true, hasPrevious = from > 0): RowList => ({
  rows: rows(from, count),
  hasNext,
  hasPrevious,
})

async function whole(asked: RowPage): Promise<RowList> {
  const pieces: RowList[] = []
  for (let start: PieceStart | null = null; ; ) {
    pieces.push(await readPiece(client, asked, start))
    start = nextPiece(pieces, asked.pageSize)
    if (!start) return joinPieces(pieces)
  }
}

describe('a long page', () => {
  /** A list of so many rows, as the database would answer for it. */
  function listOf(count: number) {
    readPage.mockReset()
    readPage.mockImplementation(
      async (_: SupabaseClient, { cursor, pageSize, page: at, offset }: RowPage) => {
        const value = Number(cursor?.values[0])
        if (cursor?.way === 'before') {
          if (value < pageSize) return piece(0, Math.min(pageSize, count), count > pageSize, false)
          return piece(value - pageSize, pageSize, true, value > pageSize)
        }
        const from = cursor ? value + 1 : (offset ?? (at - 1) * pageSize)
        const left = Math.max(0, Math.min(pageSize, count - from))
        return piece(from, left, count > from + left)
      },
    )
  }

  it('is read in pieces below what one request gives, each from the last row of the one before', async () => {
    listOf(2600)
    const found = await whole(page)
    expect(found.rows).toEqual(rows(0, 1000))
    expect(found).toMatchObject({ hasNext: true, hasPrevious: false })
    expect(readPage.mock.calls.map(([, { pageSize }]) => pageSize)).toEqual([500, 500])
    expect(readPage.mock.calls[1]?.[1].cursor).toMatchObject({ way: 'after', values: ['000499'] })
  })

  it('ends with the list', async () => {
    listOf(730)
    expect(await whole({ ...page, pageSize: 10_000 })).toMatchObject({ rows: rows(0, 730), hasNext: false })
  })

  it('goes on by number where a row has no cursor, behind the rows of this page', async () => {
    listOf(3000)
    await readPiece(client, { ...page, page: 2 }, { last: [{}], loaded: 500 })
    expect(readPage.mock.calls[0]?.[1]).toMatchObject({ cursor: null, offset: 1500, pageSize: 500 })
  })

  it('before a cursor is read backwards, and is the first page where the list begins', async () => {
    const endingAt = (value: number) => ({ way: 'before' as const, values: [String(value)], isRun: false })
    listOf(5000)
    expect((await whole({ ...page, page: 3, cursor: endingAt(3000) })).rows).toEqual(rows(2000, 1000))
    expect((await whole({ ...page, page: 3, cursor: endingAt(700) })).rows).toEqual(rows(0, 1000))
  })
})
