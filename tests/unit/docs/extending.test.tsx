// @vitest-environment happy-dom
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { DataProvider } from '@refinedev/core'
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { loggedDataProvider } from '../../../docs/examples/logged-data-provider'
import { OfflineDevicesPage } from '../../../docs/examples/offline-devices-page'
import { render } from '../../support/render'

const DOCS = resolve(import.meta.dirname, '../../../docs')
const read = (file: string) => readFileSync(resolve(DOCS, file), 'utf8')

afterEach(cleanup)

const DEVICES = [{ id: '7', name: 'ankara-01', notes: 'Old battery' }]

describe('docs/extending.md', () => {
  it.each(['offline-devices-page.tsx', 'logged-data-provider.ts'])('shows %s as it is', (file) => {
    expect(read('extending.md')).toContain(read(`examples/${file}`).trimEnd())
  })

  it('adds a page with useTable, useForm and CanAccess', async () => {
    const getList = vi.fn(async () => ({ data: DEVICES, total: 1 }))
    const update = vi.fn(async () => ({ data: DEVICES[0] }))
    const { user } = await render(<OfflineDevicesPage />, { data: { getList, update } })
    expect(await screen.findByText('Old battery')).toBeTruthy()
    expect(getList).toHaveBeenCalledWith(
      expect.objectContaining({
        resource: 'devices',
        filters: [{ field: 'status', operator: 'eq', value: 'offline' }],
      }),
    )
    await user.type(await screen.findByRole('textbox'), '!')
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await vi.waitFor(() =>
      expect(update).toHaveBeenCalledWith(
        expect.objectContaining({ resource: 'devices', id: '7', variables: { notes: 'Old battery!' } }),
      ),
    )
  })

  it('shows the form only to those who may edit', async () => {
    const data = { getList: async () => ({ data: DEVICES, total: 1 }) }
    const can = () => ({ allowed: false, reason: 'role' }) as const
    await render(<OfflineDevicesPage />, { data, can })
    expect(await screen.findByText('Your role does not edit devices.')).toBeTruthy()
    expect(screen.queryByRole('textbox')).toBeNull()
  })

  it('overrides a provider', async () => {
    const log = vi.fn()
    const own = { getList: async () => ({ data: DEVICES, total: 1 }) } as unknown as DataProvider
    const { data } = await loggedDataProvider(own, log).getList({ resource: 'devices' })
    expect(data).toEqual(DEVICES)
    expect(log).toHaveBeenCalledExactlyOnceWith('list devices')
  })
})
