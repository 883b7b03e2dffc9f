import { expect, it, vi } from 'vitest'
import type { Cache } from '@/refine/use-cache'
import type { Definition } from '@/resource/language/definition.generated'
import { showSaved } from '@/resource/request/query/use-record-query'

const definition: Definition = {
  name: 'printers',
  fields: {
    name: { type: 'text' },
    device_id: { type: 'relation', to: 'devices' },
    tags: { type: 'many-to-many', to: 'tags', through: 'printer_tags', near: 'printer_id', far: 'tag_id' },
    notes: { type: 'text' },
  },
}
const scope = { companyId: 'c', filter: {} } as never

it('replaces what was saved, and forgets the title of a record that was chosen before', () => {
  const before = {
    id: '1',
    name: 'Old',
    device_id: 'a',
    device_id_row: { id: 'a', name: 'PC-A' },
    tags: [{ id: 't' }],
  }
  const writeOne = vi.fn()
  const cache = { cachedOne: () => before, writeOne } as unknown as Cache
  showSaved(cache, definition, scope, { id: '1', name: 'New', device_id: 'b', tags: ['u'], notes: 'x' })
  expect(writeOne.mock.lastCall?.[3]).toEqual({ id: '1', name: 'New', device_id: 'b', tags: [{ id: 't' }] })
})

it('writes nothing for a record that no page has read', () => {
  const writeOne = vi.fn()
  const cache = { cachedOne: () => undefined, writeOne } as unknown as Cache
  showSaved(cache, definition, scope, { id: '1', name: 'New' })
  expect(writeOne).not.toHaveBeenCalled()
})
