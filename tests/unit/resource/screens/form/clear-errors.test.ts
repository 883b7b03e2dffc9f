import { expect, it } from 'vitest'
import { clearErrors } from '@/resource/screens/form/clear-errors'

it('takes away the errors of what was changed, however deep it stands, and no others', () => {
  const cleared: unknown[] = []
  const form = {
    getFieldsError: () =>
      [['seats'], ['name'], ['$ways', 'groups'], ['$ways', 'tags'], ['note']].map((name) => ({
        name,
        errors: name[0] === 'note' ? [] : ['wrong'],
        warnings: [],
      })),
    setFields: (fields: unknown[]) => void cleared.push(...fields),
  }
  clearErrors(form, { name: undefined, note: 'x', $ways: { groups: 'add' } })
  expect(cleared).toEqual([
    { name: ['name'], errors: [] },
    { name: ['$ways', 'groups'], errors: [] },
  ])
})
