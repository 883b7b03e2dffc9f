import type { SupabaseClient } from '@supabase/supabase-js'
import { cursorFrom } from '@/data/keyset'
import { type Row, type RowList, type RowPage, readPage } from '@/data/rows'

/** Rows per request: below the API's limit of a thousand, and fast. */
export const PIECE = 500

/** Where the next piece of a page starts: after the rows already read. */
export interface PieceStart {
  last: readonly Row[]
  /** Rows of this page before it. */
  loaded: number
}

/** A page of so many rows is read in pieces. */
export function isLong(pageSize: number): boolean {
  return pageSize > 100
}

/** Reads one piece of a long page: the first, or the piece that follows the rows before. */
export async function readPiece(
  client: SupabaseClient,
  page: RowPage,
  start: PieceStart | null,
  signal?: AbortSignal,
): Promise<RowList> {
  if (!start && page.cursor?.way === 'before') return readBefore(client, page, signal)
  const loaded = start?.loaded ?? 0
  return readPage(
    client,
    {
      ...page,
      cursor: start ? cursorFrom(start.last, page.order, 'after') : page.cursor,
      pageSize: Math.min(page.piece ?? PIECE, page.pageSize - loaded),
      offset: (page.page - 1) * page.pageSize + loaded,
    },
    signal,
  )
}

/** The start of a page that ends at a cursor is unknown: it is read backwards and as a whole. */
async function readBefore(client: SupabaseClient, page: RowPage, signal?: AbortSignal): Promise<RowList> {
  let rows: Row[] = []
  let cursor = page.cursor
  while (rows.length < page.pageSize) {
    const pageSize = Math.min(PIECE, page.pageSize - rows.length)
    const piece = await readPage(client, { ...page, cursor, pageSize }, signal)
    // The list begins here, and its first page is whole.
    if (!piece.hasPrevious) return readPiece(client, { ...page, cursor: null, page: 1 }, null, signal)
    rows = [...piece.rows, ...rows]
    cursor = cursorFrom(rows, page.order, 'before')
    if (!cursor) break
  }
  return { rows, hasNext: true, hasPrevious: true }
}

/** Where the next piece starts; null when the page is full, or the list at its end. */
export function nextPiece(pieces: readonly RowList[], pageSize: number): PieceStart | null {
  const last = pieces.at(-1)
  const loaded = pieces.reduce((total, { rows }) => total + rows.length, 0)
  return last?.hasNext && loaded < pageSize ? { last: last.rows, loaded } : null
}

/** The pieces as one list. */
export function joinPieces(pieces: readonly RowList[]): RowList {
  return {
    rows: pieces.flatMap(({ rows }) => rows),
    hasNext: pieces.at(-1)?.hasNext ?? false,
    hasPrevious: pieces[0]?.hasPrevious ?? false,
  }
}
