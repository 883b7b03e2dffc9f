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

const TITLES = ['Figure', 'Value', 'Column', 'Result', 'Count', 'Out of']
const PLAIN = TITLES.filter((title) => title !== 'Column')
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
    await exportFigures('Tickets', TITLES, LINES, language)
    const text = (await saved.blob?.text()) ?? ''
    expect(text.replace('\uFEFF', '').trim().split('\r\n')).toEqual([PLAIN.join(separator), ...lines])
  },
)

it('a table among the figures adds the title of its columns', async () => {
  const cell = { figure: 'Hours', label: 'Ayşe', column: { day: '2026-11-01' }, value: 7, isCount: false }
  await exportFigures('Tickets', TITLES, [cell, { figure: 'All', label: '', value: 3, isCount: true }], 'en')
  const text = (await saved.blob?.text()) ?? ''
  expect(text.replace('\uFEFF', '').trim().split('\r\n')).toEqual([
    TITLES.join(','),
    'Hours,Ayşe,01/11/2026,7,,',
    'All,,,3,,',
  ])
})

it('a table is saved as it is on the screen, with an empty cell where there are no rows', async () => {
  const lines = [
    { label: 'Ayşe', values: [1.5, null, 1.5] },
    { label: 'Toplam', values: [1.5, null, 1.5] },
  ]
  await exportTable('Süre', ['Kişi', 'Eki 2026', 'Kas 2026', 'Toplam'], lines, 'tr')
  const text = (await saved.blob?.text()) ?? ''
  expect(text.replace('\uFEFF', '').trim().split('\r\n')).toEqual([
    'Kişi;Eki 2026;Kas 2026;Toplam',
    'Ayşe;1,5;;1,5',
    'Toplam;1,5;;1,5',
  ])
})
