// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import { useLocation } from 'react-router'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { GoneError } from '@/data/errors'
import { MembersTab } from '@/pages/groups/members-tab'
import { eventually } from '../../support/eventually'
import { fakeData, render } from '../../support/render'

const data = { ...fakeData(), deleteMany: vi.fn<(question: object) => Promise<{ data: object[] }>>() }
const device = (name: string) => ({ id: `id-${name}`, company_id: 'c', name, status: 'online', version: 1 })

const Address = () => <output aria-label="address">{useLocation().search}</output>
const address = () => screen.getByLabelText('address').textContent

const open = (group: object = { chosen_by: 'people' }, path = '/groups/g?tab=members') =>
  render(
    <>
      <MembersTab record={{ id: 'g', company_id: 'c', ...group }} resource="groups" />
      <Address />
    </>,
    { path, data, companyId: 'c' },
  )

function rowsAre(names: string[]) {
  data.custom.mockImplementation(async ({ url }) => ({
    data: url.includes('settings') ? { views: [], preferences: [] } : [],
  }))
  data.getList.mockImplementation(async ({ meta }) => ({
    data: meta?.count === 'only' || meta?.search === 'nothing' ? [] : names.map(device),
    total: names.length,
  }))
}
/** The last question for rows, not for their number. */
const asked = () =>
  data.getList.mock.calls.map(([question]) => question).findLast(({ meta }) => meta?.count !== 'only')

afterEach(() => {
  cleanup()
  vi.resetAllMocks()
})

describe('the devices of a group', () => {
  it('are a list of devices: the group is a condition of every request, sorting and searching are in the address', async () => {
    rowsAre(['PC-1'])
    const { user } = await open()
    await screen.findByRole('link', { name: 'PC-1' })
    const inGroup = { field: 'groups_match.group_id', operator: 'eq', value: 'g' }
    expect(asked()).toMatchObject({
      resource: 'devices',
      filters: expect.arrayContaining([inGroup]),
      sorters: [
        { field: 'name_key', order: 'asc' },
        { field: 'id', order: 'asc' },
      ],
      meta: { companyId: 'c', select: expect.stringContaining('groups_match:group_devices!inner()') },
    })
    await user.click(screen.getByRole('button', { name: 'Name' }))
    await eventually(() =>
      expect(asked()?.sorters).toEqual([
        { field: 'name_key', order: 'desc' },
        { field: 'id', order: 'desc' },
      ]),
    )
    expect(address()).toBe('?sort=-name&tab=members')
    await user.type(screen.getByRole('searchbox'), 'nothing')
    await screen.findByRole('button', { name: 'Clear all' })
    expect(asked()).toMatchObject({ filters: expect.arrayContaining([inGroup]), meta: { search: 'nothing' } })
  })

  it('leave this group only, several at once; those that are gone already are told', async () => {
    rowsAre(['PC-1', 'PC-2'])
    data.deleteMany.mockResolvedValueOnce({ data: [{ device_id: 'id-PC-1' }, { device_id: 'id-PC-2' }] })
    const { user } = await open()
    await screen.findByRole('link', { name: 'PC-1' })
    await user.click(screen.getByRole('checkbox', { name: /all/i }))
    await user.click(await screen.findByRole('button', { name: 'Remove from group' }))
    const dialog = await screen.findByRole('dialog', { name: 'Remove 2 devices from the group?' })
    await user.click(within(dialog).getByRole('button', { name: 'Remove from group' }))
    await screen.findByText('2 devices were removed from the group')
    expect(data.deleteMany.mock.lastCall?.[0]).toMatchObject({
      resource: 'group_devices',
      ids: ['id-PC-1', 'id-PC-2'],
      meta: {
        companyId: 'c',
        idColumnName: 'device_id',
        conditions: [{ field: 'group_id', operator: 'eq', value: 'g' }],
      },
    })

    data.deleteMany.mockRejectedValueOnce(new GoneError('No row was changed'))
    const before = data.getList.mock.calls.length
    await user.click(screen.getByRole('button', { name: /PC-1/ }))
    await user.click(await screen.findByRole('menuitem', { name: /Remove from group/ }))
    const second = await screen.findByRole('dialog', { name: 'Remove PC-1 from the group?' })
    await user.click(within(second).getByRole('button', { name: 'Remove from group' }))
    await screen.findByText('The devices could not be removed')
    await eventually(() => expect(data.getList.mock.calls.length).toBeGreaterThan(before))
  })

  it('follow from a rule where the group has one: nobody adds or removes them', async () => {
    rowsAre(['PC-1'])
    const { user } = await open({ chosen_by: 'rule', rule: { status: { _eq: 'online' } } })
    await screen.findByRole('link', { name: 'PC-1' })
    expect(screen.queryByRole('button', { name: 'Add devices' })).toBeNull()
    await user.click(screen.getByRole('checkbox', { name: /all/i }))
    await screen.findByRole('button', { name: 'Run script' })
    expect(screen.queryByRole('button', { name: 'Remove from group' })).toBeNull()
  })

  it('say how to add the first one', async () => {
    rowsAre([])
    await open()
    await screen.findByText('This group has no devices')
    expect(screen.getByRole('button', { name: 'Add devices' })).toBeTruthy()
  })
})
