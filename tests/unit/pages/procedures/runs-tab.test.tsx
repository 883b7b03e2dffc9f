// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { RunsTab } from '@/pages/procedures/runs-tab'
import { fakeData, render } from '../../../support/render'

afterEach(cleanup)

const run = (name: string, status: string, seconds: number) => ({
  id: name,
  company_id: 'c',
  job_id: 'j',
  device_id: name,
  status,
  attempt: 1,
  queued_at: '2026-11-22T10:00:00Z',
  started_at: '2026-11-22T10:00:00.000Z',
  finished_at: new Date(Date.parse('2026-11-22T10:00:00Z') + seconds * 1000).toISOString(),
  exit_code: 0,
  error: null,
  cancel_requested_at: null,
  device: { id: name, name, status: 'online' },
})

it('the run history is searched by device and sorted by its columns', async () => {
  const data = fakeData()
  data.getList.mockResolvedValue({
    data: [run('PC-10', 'failed', 0.85), run('PC-9', 'succeeded', 185), run('Işık', 'queued', 1.5)],
    total: 3,
  })
  const { user } = await render(<RunsTab record={{ id: 'p', company_id: 'c' }} resource="procedures" />, {
    data,
  })
  const names = () => screen.getAllByRole('link').map((link) => link.textContent)
  await screen.findByRole('link', { name: 'PC-10' })
  expect(names()).toEqual(['PC-10', 'PC-9', 'Işık'])
  await user.click(screen.getByRole('columnheader', { name: 'Device' }))
  expect(names()).toEqual(['Işık', 'PC-9', 'PC-10'])
  await user.click(screen.getByRole('columnheader', { name: 'Status' }))
  expect(names()).toEqual(['PC-10', 'Işık', 'PC-9'])
  await user.click(screen.getByRole('columnheader', { name: 'Status' }))
  expect(names()).toEqual(['PC-9', 'Işık', 'PC-10'])
  await user.type(screen.getByRole('searchbox', { name: 'Search by device' }), 'ISIK')
  expect(names()).toEqual(['Işık'])
  await user.type(screen.getByRole('searchbox', { name: 'Search by device' }), 'x')
  expect(screen.queryAllByRole('link')).toEqual([])
  expect(screen.getByText('No matching runs')).toBeTruthy()
})
