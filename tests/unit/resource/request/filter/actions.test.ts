import { expect, it } from 'vitest'
import { embedKey } from '@/resource/language/embed-keys'
import { findDefinition } from '@/resource/language/registry'
import { actionFields, isOffered } from '@/resource/request/filter/actions'

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
