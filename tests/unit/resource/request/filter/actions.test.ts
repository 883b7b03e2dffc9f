import { expect, it } from 'vitest'
import { embedKey } from '@/resource/language/embed-keys'
import { findDefinition } from '@/resource/language/registry'
import { actionFields, actionsFor, isOffered } from '@/resource/request/filter/actions'

it('offers to watch or to stop watching, whichever fits the links of the record', () => {
  const tickets = findDefinition('tickets')
  const { watch, unwatch } = tickets?.actions ?? {}
  if (!tickets || !watch || !unwatch) throw new Error('no action')
  const offered = (watchers: string[]) => {
    const row = {
      id: '1',
      merged_into_id: null,
      // People whom the reader may not see have no row of their own.
      [embedKey('watchers')]: watchers.map((id) => ({ user_id: id, row: null })),
    }
    return [watch, unwatch].map((action) => isOffered(tickets, action, row, { user: { id: 'me' } }))
  }
  expect(offered([])).toEqual([true, false])
  expect(offered(['another'])).toEqual([true, false])
  expect(offered(['another', 'me'])).toEqual([false, true])
  expect(actionFields(tickets)).toContain('watchers')
})

it('offers a row what is for its reader, and one form of what has one name', () => {
  const tickets = findDefinition('tickets')
  if (!tickets) throw new Error('There are no tickets.')
  const label = (name: string) => (name === 'resolve_unfinished' ? 'resolve' : name)
  const names = (row: Record<string, unknown>) =>
    actionsFor(
      tickets,
      'row',
      { id: '1', status: 'open', subticket_count: 0, requester_id: 'me', unfinished: null, ...row },
      { user: { id: 'me' } },
      label,
    ).map(({ name }) => name)
  expect(names({})).toEqual(expect.arrayContaining(['resolve', 'rate']))
  expect(names({ requester_id: 'another' })).not.toContain('rate')
  expect(names({})).not.toContain('resolve_unfinished')
  expect(names({ unfinished: 'approval' })).toContain('resolve_unfinished')
  expect(names({ unfinished: 'approval' })).not.toContain('resolve')
  // A ticket that is done takes neither of them, and a single gray entry says why.
  expect(names({ status: 'closed' }).filter((name) => label(name) === 'resolve')).toHaveLength(1)
})
