// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import { useLocation } from 'react-router'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { GoneError } from '@/data/errors'
import { MembersTab } from '@/pages/groups/members-tab'
import { eventually } from '../../support/eventually'
import { fakeData, render } from '../../support/render'

const data = fakeData()
const member = (id: string) => ({
  device_id: id,
  added_at: '2026-11-22T10:00:00Z',
  device: { id, name: `PC-${id}`, status: 'online', os: 'Windows 11', os_version: null },
})

const Address = () => <output>{useLocation().search}</output>

const open = (path = '/groups/g') =>
  render(
    <>
      <MembersTab record={{ id: 'g', company_id: 'c' }} resource="groups" />
      <Address />
    </>,
    { path, data, companyId: 'c' },
  )

afterEach(() => {
  cleanup()
  vi.resetAllMocks()
})

describe('the members of a group', () => {
  it('are read a page at a time, and the page is in the address', async () => {
    data.getList.mockImplementation(async ({ pagination }) => ({
      data: [member(String(pagination?.currentPage))],
      total: 60,
    }))
    const { user } = await open('/groups/g?members_page=2&tab=x')
    await screen.findByRole('link', { name: 'PC-2' })
    expect(data.getList).toHaveBeenCalledOnce()
    expect(data.getList.mock.lastCall?.[0]).toMatchObject({
      resource: 'group_devices',
      filters: [{ field: 'group_id', operator: 'eq', value: 'g' }],
      pagination: { currentPage: 2, pageSize: 25 },
      meta: { companyId: 'c' },
    })
    await user.click(screen.getByTitle('3'))
    await screen.findByRole('link', { name: 'PC-3' })
    expect(screen.getByRole('status').textContent).toBe('?members_page=3&tab=x')
    await user.click(screen.getByTitle('1'))
    await screen.findByRole('link', { name: 'PC-1' })
    expect(screen.getByRole('status').textContent).toBe('?tab=x')
    expect(data.getList).toHaveBeenCalledTimes(3)
  })

  it('are sorted by name at first, and searched on the server', async () => {
    data.getList.mockImplementation(async ({ meta }) =>
      meta?.search === 'nothing' ? { data: [], total: 0 } : { data: [member('1')], total: 60 },
    )
    const { user } = await open('/groups/g?members_page=2')
    await screen.findByRole('link', { name: 'PC-1' })
    const order = () => data.getList.mock.lastCall?.[0].sorters
    expect(order()).toEqual([
      { field: 'device_key', order: 'asc' },
      { field: 'device_id', order: 'asc' },
    ])
    await user.click(screen.getByRole('columnheader', { name: 'Device' }))
    await eventually(() =>
      expect(order()).toEqual([
        { field: 'device_key', order: 'desc' },
        { field: 'device_id', order: 'desc' },
      ]),
    )
    expect(screen.getByRole('status').textContent).toBe('?members_sort=-name')

    await user.type(screen.getByRole('searchbox', { name: 'Search in this group' }), 'nothing{Enter}')
    await screen.findByText('No devices in the group match')
    expect(data.getList.mock.lastCall?.[0]).toMatchObject({
      filters: [{ field: 'group_id', operator: 'eq', value: 'g' }],
      meta: { search: 'nothing' },
    })
    await user.click(screen.getByRole('button', { name: 'Clear search' }))
    await screen.findByRole('link', { name: 'PC-1' })
    expect(screen.getByRole('status').textContent).toBe('?members_sort=-name')
  })

  it('are removed from this group only; one that is gone already is told and read again', async () => {
    data.getList.mockResolvedValue({ data: [member('1')], total: 1 })
    data.deleteOne.mockRejectedValue(new GoneError('No row was deleted'))
    const { user } = await open()
    const row = await screen.findByRole('row', { name: /PC-1/ })
    await user.click(within(row).getByRole('button', { name: /PC-1/ }))
    await user.click(await screen.findByRole('button', { name: 'Remove' }))
    await screen.findByText('The device could not be removed')
    expect(data.deleteOne.mock.lastCall?.[0]).toMatchObject({
      id: '1',
      meta: {
        companyId: 'c',
        idColumnName: 'device_id',
        conditions: [{ field: 'group_id', operator: 'eq', value: 'g' }],
      },
    })
    await eventually(() => expect(data.getList.mock.calls.length).toBeGreaterThan(1))
  })
})
