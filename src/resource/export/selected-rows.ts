import type { Row, RowList, RowPage } from '@/data/rows'

/** Ids in one request: its address stays below what proxies take. */
const PIECE = 100

/** Selected rows in the order of the list as far as it is in view, then as they were selected. */
export function selectedIds(selected: readonly Row[], visible: readonly Row[]): string[] {
  const chosen = new Set(selected.map(({ id }) => String(id)))
  const inView = visible.map(({ id }) => String(id)).filter((id) => chosen.has(id))
  return [...new Set([...inView, ...chosen])]
}

/** Reads the rows of these ids piece by piece, as an export reads the pages of a list. */
export function readSelected(
  ids: readonly string[],
  pageOf: (ids: readonly string[]) => RowPage,
  read: (page: RowPage, signal: AbortSignal) => Promise<RowList>,
): (page: RowPage, signal: AbortSignal) => Promise<RowList> {
  return async ({ page, pageSize }, signal) => {
    const start = (page - 1) * PIECE
    const list = await read(
      { ...pageOf(ids.slice(start, start + PIECE)), page: 1, pageSize, cursor: null },
      signal,
    )
    return { ...list, hasNext: start + PIECE < ids.length }
  }
}
