// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Row } from '@/data/rows'
import { findDefinition } from '@/resource/language/registry'
import { ActivityEntryView } from '@/resource/screens/show/activity-tab'
import { render } from '../../../../support/render'

afterEach(cleanup)

async function entryBy(person: Row | null) {
  const definition = findDefinition('groups')
  if (!definition) throw new Error('No definition of groups')
  await render(
    <ActivityEntryView
      entry={
        {
          id: '1',
          createdAt: '2026-11-27T06:00:00Z',
          author: { id: 'p1', name: 'Çağrı' },
          resource: 'groups',
          action: 'delete',
          data: {},
          previousData: null,
        } as never
      }
      definition={definition}
      id="g1"
      records={({ resource, id }) => (resource === 'people' && id === 'p1' ? person : null)}
    />,
    { companyId: 'acme' },
  )
}

it('a change is told with the name of its author', async () => {
  await entryBy({ id: 'p1', name: 'Çağrı Öztürk' })
  expect(await screen.findByText('Çağrı Öztürk deleted this')).toBeTruthy()
})

it('a change is told with the name of that time where the account is gone', async () => {
  await entryBy(null)
  expect(await screen.findByText('Çağrı deleted this')).toBeTruthy()
})

async function ticketEntry(entry: Record<string, unknown>) {
  const definition = findDefinition('tickets')
  if (!definition) throw new Error('No definition of tickets')
  await render(
    <ActivityEntryView
      entry={
        {
          id: '1',
          createdAt: '2026-11-27T06:00:00Z',
          author: { id: 'p1', name: 'Çağrı' },
          previousData: null,
          ...entry,
        } as never
      }
      definition={definition}
      id="t1"
      records={({ resource, id }) =>
        resource === 'tickets' && id === 't2' ? { id: 't2', number: 36, subject: 'Printer' } : null
      }
    />,
    { companyId: 'acme' },
  )
}

it('a change of a record in a list is told under the name of the list, without the field that leads here', async () => {
  await ticketEntry({
    resource: 'ticket_approvals',
    action: 'edit',
    meta: { id: 'a1' },
    data: { ticket_id: [null, 't1'], note: [null, 'Yes'] },
  })
  expect(await screen.findByText('Çağrı · Approvals: changed')).toBeTruthy()
  expect(screen.getByText('Yes')).toBeTruthy()
  expect(screen.queryByText('Ticket')).toBeNull()
})

it('a record that was linked to this one is named, and its own changes are left out', async () => {
  await ticketEntry({
    resource: 'tickets',
    action: 'edit',
    meta: { id: 't2' },
    data: { merged_into_id: [null, 't1'], status: ['open', 'closed'] },
  })
  expect(await screen.findByText('Çağrı · Merged tickets: added')).toBeTruthy()
  expect(screen.getByRole('link', { name: /#36 · Printer/ })).toBeTruthy()
  expect(screen.queryByText('Status')).toBeNull()
  expect(screen.queryByRole('button')).toBeNull()
})
