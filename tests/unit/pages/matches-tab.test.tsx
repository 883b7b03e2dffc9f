// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import { useLocation } from 'react-router'
import { afterEach, describe, expect, it } from 'vitest'
import { MatchesTab } from '@/pages/automations/matches-tab'
import { LicenseUseTab } from '@/pages/software/license-use-tab'
import { eventually } from '../../support/eventually'
import { fakeData, render } from '../../support/render'

afterEach(cleanup)

const device = (name: string) => ({ id: `id-${name}`, company_id: 'c', name, status: 'online', version: 1 })
const Address = () => <output aria-label="address">{useLocation().search}</output>

/** Answers with one page of a longer list, and with `counts` for the function that counts. */
function answers(counts: object) {
  const data = fakeData()
  data.getList.mockImplementation(async ({ meta }) => ({
    data: meta?.count === 'only' ? [] : [device('PC-1'), device('PC-2')],
    total: 40,
    hasNext: true,
    hasPrevious: false,
  }))
  data.custom.mockImplementation(async ({ url }) => ({
    data: url.includes('settings') ? { views: [], preferences: [] } : counts,
  }))
  const asked = () =>
    data.getList.mock.calls.map(([question]) => question).filter(({ resource }) => resource === 'devices')
  const last = () => asked().findLast(({ meta }) => meta?.count !== 'only')
  return { data, asked, last }
}

describe('the devices that an automation matches', () => {
  const counts = { matches: 40, left_out: { offline: 2, platform: 3 } }
  const matching = { name: 'search_automation_devices', args: { automation_id: 'a', reason: '' } }

  it('come from a function, page and number alike, and keep their reason in the address', async () => {
    const { data, asked, last } = answers(counts)
    const { user } = await render(
      <>
        <MatchesTab record={{ id: 'a', company_id: 'c', trigger: 'manual' }} resource="automations" />
        <Address />
      </>,
      { data, companyId: 'c', path: '/automation/a/matches' },
    )
    await screen.findByRole('link', { name: 'PC-1' })
    await eventually(() => expect(asked().map(({ meta }) => meta?.count)).toContain('only'))
    for (const { meta } of asked()) expect(meta?.readBy).toEqual(matching)

    await user.click(screen.getByText('Left out (5)'))
    await eventually(() => expect(last()?.meta?.readBy.args.reason).toBe('offline'))
    await user.click(screen.getByRole('button', { name: 'Name' }))
    await eventually(() => expect(last()?.sorters?.[0]).toEqual({ field: 'name_key', order: 'desc' }))
    expect(screen.getByLabelText('address').textContent).toBe('?sort=-name&show=left-out')
    expect(last()?.meta?.readBy.args.reason).toBe('offline')
  })

  it('are acted on one by one: the database finds all matching rows in the table, which holds others', async () => {
    const { data } = answers(counts)
    const { user } = await render(
      <MatchesTab record={{ id: 'a', company_id: 'c', trigger: 'manual' }} resource="automations" />,
      { data, companyId: 'c', path: '/automation/a/matches' },
    )
    await screen.findByRole('link', { name: 'PC-1' })
    await screen.findByText('1–2 of 40')
    await user.click(screen.getByRole('checkbox', { name: /all/i }))
    const bar = await screen.findByRole('region', { name: '2 selected' })
    await within(bar).findByRole('button', { name: 'Run script' })
    expect(within(bar).queryByRole('button', { name: /40/ })).toBeNull()
  })
})

it('the devices of a license come from a function, those that were not seen for longest first', async () => {
  const { data, asked } = answers({ total: 98, idle: 3 })
  const record = { id: 'l', company_id: 'c', type: 'device', match_rule: 'acrobat' }
  await render(<LicenseUseTab record={record} resource="software_licenses" />, { data, companyId: 'c' })
  await screen.findByRole('link', { name: 'PC-1' })
  screen.getByRole('heading', { name: '98 devices have it' })
  expect(asked()[0]).toMatchObject({
    sorters: [
      { field: 'offline_since', order: 'asc' },
      { field: 'id', order: 'asc' },
    ],
    meta: { companyId: 'c', readBy: { name: 'search_license_devices', args: { license_id: 'l' } } },
  })
})
