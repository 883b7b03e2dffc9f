// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Row, RowList, RowPage } from '@/data/rows'
import type { Language } from '@/i18n/language'
import { findDefinition } from '@/resource/language/registry'
import { parseListState } from '@/resource/request/query/list-state'
import { ExportDialog } from '@/resource/tools/export/export-dialog'
import { readSelected, selectedIds } from '@/resource/tools/export/export-job'
import type { useExport } from '@/resource/tools/export/use-export'
import { render } from '../../../../support/render'

const start = vi.fn()
vi.mock('@/resource/tools/export/use-export', () => ({
  useExport: (): ReturnType<typeof useExport> => ({
    state: { phase: 'choosing', isCancelled: false },
    start,
    retry: () => undefined,
    cancel: () => undefined,
  }),
}))

afterEach(() => {
  cleanup()
  start.mockClear()
})

const rows: Row[] = ['a', 'b', 'c', 'd'].map((id) => ({ id }))

async function show(selection: { rows: Row[]; isAll: boolean }, language: Language = 'en') {
  const definition = findDefinition('devices')
  if (!definition) throw new Error('No definition of devices')
  return render(
    <ExportDialog
      definition={definition}
      columns={[]}
      state={parseListState(new URLSearchParams(), definition, findDefinition)}
      scope={{ companyId: null, filter: {} } as never}
      total={180}
      selection={selection}
      visible={rows}
      onClose={() => undefined}
    />,
    { language },
  )
}
const chosen = () =>
  screen
    .getAllByRole<HTMLInputElement>('radio', { checked: true })
    .map((radio) => radio.labels?.[0]?.textContent)

describe('ExportDialog', () => {
  it('offers the selected rows first, and exports those', async () => {
    const { user } = await show({ rows: [...rows].reverse(), isAll: false })
    expect(
      screen.getAllByRole('radio').map((radio) => (radio as HTMLInputElement).labels?.[0]?.textContent),
    ).toEqual(['4 selected', 'All matching rows (180)', 'Excel (XLSX)', 'CSV'])
    expect(chosen()).toEqual(['4 selected', 'Excel (XLSX)'])
    await user.click(screen.getByRole('button', { name: 'Export' }))
    expect(start).toHaveBeenCalledWith('xlsx', ['a', 'b', 'c', 'd'])
  })

  it('exports all that match when that is chosen instead', async () => {
    const { user } = await show({ rows, isAll: false })
    await user.click(screen.getByRole('radio', { name: 'All matching rows (180)' }))
    await user.click(screen.getByRole('button', { name: 'Export' }))
    expect(start).toHaveBeenCalledWith('xlsx', null)
  })

  it('starts from all that match when all of them are selected; in Turkish', async () => {
    await show({ rows, isAll: true }, 'tr')
    expect(chosen()).toEqual(['Eşleşen tüm satırlar (180)', 'Excel (XLSX)'])
  })

  it('asks nothing about rows while none is selected', async () => {
    await show({ rows: [], isAll: false })
    expect(screen.getAllByRole('radio')).toHaveLength(2)
    expect(screen.getByText(/^All 180 rows/)).toBeTruthy()
  })
})

describe('selected rows', () => {
  it('are in the order of the list where they are in view, then as they were selected', () => {
    expect(selectedIds([{ id: 'z' }, { id: 'c' }, { id: 'a' }], rows)).toEqual(['a', 'c', 'z'])
  })

  it('are read a hundred at a time, each piece by its ids alone', async () => {
    const ids = Array.from({ length: 230 }, (_, index) => `id-${index}`)
    const asked: RowPage[] = []
    const read = readSelected(
      ids,
      (piece) => ({ table: piece.join() }) as unknown as RowPage,
      async (page): Promise<RowList> => {
        asked.push(page)
        return { rows: [], hasNext: false, hasPrevious: false } as unknown as RowList
      },
    )
    const ends: boolean[] = []
    for (const page of [1, 2, 3]) {
      const piece = { page, pageSize: 999, cursor: { way: 'after' } } as unknown as RowPage
      ends.push((await read(piece, new AbortController().signal)).hasNext)
    }
    expect(ends).toEqual([true, true, false])
    expect(asked.map(({ table }) => table.split(',').length)).toEqual([100, 100, 30])
    expect(asked.every(({ page, cursor }) => page === 1 && cursor === null)).toBe(true)
  })
})
