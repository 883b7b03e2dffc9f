// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import { useLocation } from 'react-router'
import { afterEach, expect, it } from 'vitest'
import { RunsTab } from '@/pages/procedures/runs-tab'
import { eventually } from '../../../support/eventually'
import { fakeData, render } from '../../../support/render'

afterEach(cleanup)

const Address = () => <output aria-label="address">{useLocation().search}</output>

const run = (name: string, status: string, origin: object) => ({
  id: `run-${name}`,
  company_id: 'c',
  job_id: 'j',
  device_id: `id-${name}`,
  device_id_record: { id: `id-${name}`, name },
  status,
  exit_code: status === 'failed' ? 3 : 0,
  queued_at: '2026-11-22T10:00:00Z',
  duration_seconds: 185,
  origin: { author: null, automation: null, schedule: null, version: null, ...origin },
})

it('the runs of a script are a list of runs with their version and who started them, paged and sorted by the database', async () => {
  const data = fakeData()
  const runs = [
    run('PC-10', 'failed', { version: { number: 7 }, author: { email: 'a@acme.test', name: 'Ayşe' } }),
    run('PC-9', 'succeeded', { automation: { id: 'auto', name: 'Disk cleanup' } }),
  ]
  data.getList.mockImplementation(async ({ meta }) =>
    meta?.count === 'only' ? { data: [], total: 900 } : { data: runs, total: 900 },
  )
  data.custom.mockImplementation(async ({ url }) => ({
    data: url.includes('settings') ? { views: [], preferences: [] } : [],
  }))
  const { user } = await render(
    <>
      <RunsTab record={{ id: 'p', company_id: 'c' }} resource="procedures" />
      <Address />
    </>,
    { data, companyId: 'c', path: '/procedures/p?tab=history' },
  )
  const table = await screen.findByRole('table', { name: 'Runs' })
  const [, first, second] = within(table).getAllByRole('row')
  expect(within(first as HTMLElement).getByRole('cell', { name: '7' })).toBeTruthy()
  expect(within(first as HTMLElement).getByRole('cell', { name: 'Ayşe' })).toBeTruthy()
  expect(within(second as HTMLElement).getByRole('link', { name: 'Disk cleanup' })).toBeTruthy()

  const asked = () =>
    data.getList.mock.calls
      .map(([question]) => question)
      .findLast(({ meta }) => meta?.count === 'none' && meta.limit === undefined)
  expect(asked()).toMatchObject({
    resource: 'job_runs',
    filters: expect.arrayContaining([{ field: 'procedure_id', operator: 'eq', value: 'p' }]),
    sorters: [
      { field: 'queued_at', order: 'desc' },
      { field: 'id', order: 'desc' },
    ],
    pagination: { currentPage: 1 },
    meta: {
      companyId: 'c',
      select: expect.stringContaining(',origin:jobs(author:people!jobs_created_by_fkey(name)'),
    },
  })
  await user.click(within(table).getByRole('button', { name: 'Device' }))
  await eventually(() =>
    expect(asked()?.sorters).toEqual([
      { field: 'device_key', order: 'asc' },
      { field: 'id', order: 'asc' },
    ]),
  )
  expect(screen.getByLabelText('address').textContent).toBe('?sort=device_id&tab=history')
  // The one that failed last can be repeated.
  expect(screen.getByRole('button', { name: 'Run again on the failed device' })).toBeTruthy()
})
