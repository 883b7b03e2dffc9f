// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { CompliancePanel } from '@/pages/patches/compliance-panel'
import type { Definition } from '@/resource/language/definition.generated'
import { parseListState } from '@/resource/request/query/list-state'
import {
  complianceLinks,
  OVERDUE_DAYS,
  toCompliance,
  UPDATE_SEVERITIES,
} from '@/runs/updates/compliance-data'
import devices from '../../../resources/devices.json'
import { fakeData, render } from '../../support/render'

afterEach(cleanup)

const answer = {
  devices: 120,
  unknown: 20,
  late: [
    { severity: 'critical', age: 'due', count: 10 },
    { severity: 'critical', age: 'overdue', count: 3 },
    { severity: 'critical', age: 'long', count: 2 },
    { severity: 'low', age: 'overdue', count: 1 },
  ],
  companies: [{ id: 'c1', name: 'Acme', count: 4 }],
}

describe('patch compliance', () => {
  it('is the share of the devices that report and are not overdue', () => {
    expect(toCompliance(answer)).toMatchObject({
      current: 84,
      due: 10,
      overdueTotal: 6,
      long: 2,
      share: 0.94,
      overdue: { critical: 5, important: 0, low: 1 },
    })
    expect(toCompliance({ devices: 4, unknown: 4 }).share).toBeNull()
  })

  it('survives an answer of any shape', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const { share, current, devices: all } = toCompliance(value)
        return current >= 0 && current <= all && (share === null || (share >= 0 && share <= 1))
      }),
    )
  })

  it('links every part to a filter that the list of devices takes whole', () => {
    const links = OVERDUE_DAYS.flatMap((days) => [
      complianceLinks.current(),
      complianceLinks.due(days),
      complianceLinks.unknown(),
      complianceLinks.overdue(days, { company_id: '00000000-0000-4000-8000-000000000000' }),
      ...UPDATE_SEVERITIES.map((outdated_severity) => complianceLinks.overdue(days, { outdated_severity })),
    ])
    for (const link of links) {
      const params = new URLSearchParams(link.split('?')[1])
      const state = parseListState(params, devices as unknown as Definition, () => null)
      expect([link, state.badWhere]).toEqual([link, null])
      expect(state.where).not.toBeNull()
      expect(Object.keys(state.filters)).toEqual([...params.keys()].filter((key) => key !== 'where'))
    }
  })

  it('shows each part with its devices, and asks again for other days', async () => {
    const data = fakeData()
    data.custom.mockResolvedValue({ data: answer })
    const { user } = await render(<CompliancePanel />, { companyId: 'acme', data })
    expect(await screen.findByText('94%')).toBeTruthy()
    const legend = screen.getByRole('list', { name: 'Patch compliance' })
    expect(
      within(legend)
        .getAllByRole('link')
        .map((link) => link.textContent),
    ).toEqual([
      'Up to date 84',
      'Within 30 days 10',
      'Overdue, critical 5',
      'Overdue, low 1',
      'No report yet 20',
      'For more than 90 days 2',
    ])
    await user.click(screen.getByRole('combobox', { name: 'When an update is overdue' }))
    await user.click(await screen.findByTitle('Overdue after 7 days'))
    expect(await screen.findByText('Within 7 days')).toBeTruthy()
    expect(data.custom.mock.lastCall?.[0].payload).toEqual({ company: 'acme', days: 7 })
  })

  it.each([
    [{ devices: 0 }, /No devices yet/],
    [{ devices: 3, unknown: 3 }, /No device has reported its updates yet/],
  ])('says why there is nothing to count', async (given, text) => {
    const data = fakeData()
    data.custom.mockResolvedValue({ data: given })
    await render(<CompliancePanel />, { companyId: 'acme', data })
    expect(await screen.findByText(text)).toBeTruthy()
  })

  it('says that it failed, and tries again', async () => {
    const data = fakeData()
    data.custom.mockRejectedValueOnce(new Error('down')).mockResolvedValue({ data: answer })
    const { user } = await render(<CompliancePanel />, { companyId: 'acme', data })
    await user.click(await screen.findByRole('button', { name: /again/i }))
    expect(await screen.findByText('94%')).toBeTruthy()
  })
})
