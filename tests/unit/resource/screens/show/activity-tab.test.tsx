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
