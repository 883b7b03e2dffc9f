// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import i18next from 'i18next'
import { afterEach, expect, it } from 'vitest'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useRecordTabs } from '@/resource/screens/show/record-tabs'
import { render } from '../../../../support/render'

afterEach(cleanup)

const definition: Definition = {
  name: 'kiosks',
  fields: { note: { type: 'text' } },
  show: {
    related: [
      { resource: 'device_patches', by: 'device_id' },
      { resource: 'tickets', by: 'device_id' },
    ],
  },
}

function Labels({ record = { id: '1' }, of = definition }: { record?: Row; of?: Definition }) {
  return <p>{useRecordTabs(of, record).map(({ label }) => `${label};`)}</p>
}

const show = () => render(<Labels />, { companyId: 'acme', can: () => ({ allowed: true }) })

it('names a related list as the resource says, else like the list', async () => {
  await show()
  expect(screen.getByText(/Updates on devices;.*Tickets;/)).toBeTruthy()
  cleanup()
  i18next.addResource('en', 'resources', 'kiosks.tabs.device_patches', 'Updates')
  await show()
  expect(screen.queryByText(/Updates on devices/)).toBeNull()
  expect(screen.getByText(/Updates;.*Tickets;/)).toBeTruthy()
})

it('leaves out a tab of sections while the record hides all of their fields', async () => {
  const automations = findDefinition('automations')
  if (!automations) throw new Error('there is no definition of automations')
  const tabsFor = async (trigger: string) => {
    await render(<Labels of={automations} record={{ id: '1', trigger }} />, {
      companyId: 'acme',
      can: () => ({ allowed: true }),
    })
    const text = screen.getByText(/Overview;/).textContent
    cleanup()
    return text
  }
  const [onAlert, manual] = [await tabsFor('alert'), await tabsFor('manual')]
  expect(onAlert).toContain('Monitors;')
  expect(manual).toBe(onAlert.replace('Monitors;', ''))
})

it('leaves out lists that stay empty for somebody who may not add to them', async () => {
  const tickets = findDefinition('tickets')
  if (!tickets) throw new Error('there is no definition of tickets')
  const tabsOf = async (record: Row, isDesk: boolean) => {
    await render(<Labels of={tickets} record={{ id: '1', ...record }} />, {
      companyId: 'acme',
      can: (_object, verb) =>
        verb === 'assign' && !isDesk ? { allowed: false, reason: 'role' } : { allowed: true },
    })
    const text = screen.getByText(/Overview;/).textContent
    cleanup()
    return ['Approvals', 'Subtickets', 'Merged tickets'].filter((label) => text?.includes(`${label};`))
  }
  expect(await tabsOf({ subticket_count: 0 }, true)).toEqual(['Approvals', 'Subtickets', 'Merged tickets'])
  expect(await tabsOf({ subticket_count: 0 }, false)).toEqual([])
  // Subtickets are those of others: the tab would be empty.
  expect(await tabsOf({ subticket_count: 2 }, false)).toEqual([])
})
