// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FieldInput } from '@/resource/fields/inputs'
import { findDefinition } from '@/resource/language/registry'
import { eventually } from '../../../support/eventually'
import { render } from '../../../support/render'

afterEach(cleanup)

describe('the rows of a stored table', () => {
  it('show a number and a boolean in a field of text, as they are stored', async () => {
    const field = findDefinition('procedures')?.fields.parameters
    if (!field) throw new Error('procedures have parameters')
    const onChange = vi.fn()
    const value = [
      { name: 'limit', kind: 'number', default: 90 },
      { name: 'count', kind: 'number', default: 0 },
      { name: 'folder', kind: 'text', default: '/var/log' },
      { name: 'mode', kind: 'text', default: false },
    ]
    const { user } = await render(
      <FieldInput
        field={field}
        name="parameters"
        resource="procedures"
        record={{}}
        value={value}
        onChange={onChange}
      />,
    )
    const defaults = () => screen.getAllByRole<HTMLInputElement>('textbox', { name: 'Default' })
    await eventually(() =>
      expect(defaults().map((input) => input.value)).toEqual(['90', '0', '/var/log', 'false']),
    )
    await user.type(defaults()[0] as HTMLInputElement, '5')
    expect(onChange.mock.lastCall?.[0][0]).toEqual({ name: 'limit', kind: 'number', default: '905' })
  })
})
