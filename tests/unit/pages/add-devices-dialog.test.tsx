// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { AddDevicesDialog } from '@/pages/groups/add-devices-dialog'
import { eventually } from '../../support/eventually'
import { fakeData, render } from '../../support/render'

const data = fakeData()

const group = { companyId: 'company-1', groupId: 'group-1' }
const row = (id: string) => ({ id, name: `PC-${id}`, status: 'online', os: null, os_version: null })

const open = async () => {
  const onAdded = vi.fn()
  const onClose = vi.fn()
  const rendered = await render(<AddDevicesDialog group={group} onAdded={onAdded} onClose={onClose} />, {
    data,
  })
  return { ...rendered, onAdded, onClose }
}

afterEach(() => {
  cleanup()
  vi.resetAllMocks()
})

describe('AddDevicesDialog', () => {
  it('stays open after adding, keeps the search and adds all that match', async () => {
    data.getList.mockResolvedValue({ data: [row('1'), row('2')], total: 214 })
    data.createMany.mockResolvedValue({ data: [{ device_id: '1' }] })
    data.custom.mockResolvedValueOnce({ data: 214 }).mockResolvedValueOnce({ data: 0 })
    const { user, onAdded, onClose } = await open()
    const search = await screen.findByRole<HTMLInputElement>('searchbox')
    await user.type(search, 'ankara')
    await eventually(() =>
      expect(data.getList.mock.lastCall?.[0]).toMatchObject({
        pagination: { currentPage: 1 },
        meta: {
          search: 'ankara',
          readBy: { name: 'search_group_candidates', args: { group_id: 'group-1' } },
        },
      }),
    )

    await user.click(await screen.findByRole('checkbox', { name: 'Select PC-1' }))
    await user.click(screen.getByRole('button', { name: 'Add 1 device' }))
    await screen.findByText('1 device was added')
    expect(data.createMany.mock.lastCall?.[0]).toMatchObject({
      variables: [{ company_id: 'company-1', group_id: 'group-1', device_id: '1' }],
      meta: { onConflict: 'company_id,group_id,device_id' },
    })
    expect(search.value).toBe('ankara')

    await user.click(screen.getByRole('button', { name: 'Add all 214 matching devices' }))
    await screen.findByText('214 devices were added')
    expect(data.custom.mock.lastCall?.[0]).toMatchObject({
      url: 'rpc/add_group_candidates',
      payload: { group_id: 'group-1', q: 'ankara' },
    })
    expect(onAdded).toHaveBeenCalledTimes(2)
    expect(onClose).not.toHaveBeenCalled()
  })

  it('offers one way to add all when the page holds all that match', async () => {
    data.getList.mockResolvedValue({ data: [row('1'), row('2')], total: 2 })
    const { user } = await open()
    await user.click(await screen.findByRole('checkbox', { name: 'Select all devices on this page' }))
    expect(screen.getByRole('button', { name: 'Add 2 devices' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: /that match/ })).toBeNull()
  })

  it('keeps the choice and says how far it came when adding fails', async () => {
    data.getList.mockResolvedValue({ data: [row('1')], total: 2000 })
    data.custom.mockResolvedValueOnce({ data: 1000 }).mockRejectedValueOnce(new Error('refused'))
    const { user } = await open()
    await user.click(await screen.findByRole('checkbox', { name: 'Select PC-1' }))
    await user.click(screen.getByRole('button', { name: 'Add all 2000 matching devices' }))
    await screen.findByText('Some devices could not be added')
    await screen.findByText('1000 devices were added')
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select PC-1' }).checked).toBe(true)
  })
})
