import { beforeEach, expect, it, vi } from 'vitest'
import { exportFigures, exportTable } from '@/resource/tools/export/export-figures'

const saved = vi.hoisted(() => ({ blob: null as Blob | null }))
vi.mock('@/resource/tools/export/export-file', async (original) => ({
  ...(await original<object>()),
  saveBlob: (blob: Blob) => {
    saved.blob = blob
  },
}))

beforeEach(() => {
  saved.blob = null
})

const TITLES = ['Figure', 'Value', 'Result', 'Count', 'Out of']
const LINES = [
  { figure: 'SLA kept', label: '', value: 20, of: 37, isCount: true },
  { figure: 'SLA of none', label: '', value: null, of: 0, isCount: true },
  { figure: 'Opened', day: '2026-11-02', value: null, isCount: true },
  { figure: 'Hours', day: '2026-11-02', value: null, isCount: false },
]

it.each([
  ['en', ',', ['SLA kept,,54%,20,37', 'SLA of none,,,0,0', 'Opened,02/11/2026,0,,', 'Hours,02/11/2026,,,']],
  ['tr', ';', ['SLA kept;;%54;20;37', 'SLA of none;;;0;0', 'Opened;02.11.2026;0;;', 'Hours;02.11.2026;;;']],
] as const)(
  'figures in %s have the percent, the count and the whole of a share, and zero for a week without rows',
  async (language, separator, lines) => {
    await exportFigures('Tickets', TITLES, LINES, [], language)
    const text = (await saved.blob?.text()) ?? ''
    expect(text.replace('\uFEFF', '').trim().split('\r\n')).toEqual([TITLES.join(separator), ...lines])
  },
)

const SHEET = {
  name: 'Süre',
  titles: ['Kişi (saat)', 'Eki 2026', 'Kas 2026', 'Toplam'],
  lines: [
    { label: 'Ayşe', values: [1.5, null, 1.5] },
    { label: 'Toplam', values: [1.5, null, 1.5] },
  ],
}
const SHEET_LINES = ['Kişi (saat);Eki 2026;Kas 2026;Toplam', 'Ayşe;1,5;;1,5', 'Toplam;1,5;;1,5']
const savedLines = async () => ((await saved.blob?.text()) ?? '').replace('\uFEFF', '').trim().split('\r\n')

it('a table follows the other figures as it is on the screen', async () => {
  const line = { figure: 'Toplam', label: '', value: 3, isCount: true }
  await exportFigures('Talepler', TITLES, [line], [SHEET], 'tr')
  expect(await savedLines()).toEqual([TITLES.join(';'), 'Toplam;;3;;', '', 'Süre', ...SHEET_LINES])
})

it('a table is saved as it is on the screen, with an empty cell where there are no rows', async () => {
  await exportTable(SHEET, 'tr')
  expect(await savedLines()).toEqual(SHEET_LINES)
})
