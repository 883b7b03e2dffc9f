// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { Form } from 'antd'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FieldInput } from '@/resource/fields/inputs'
import { rowAfter } from '@/resource/fields/rows/input'
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

  it('mark the value that is missing, and none that is right', async () => {
    const field = findDefinition('ticket_categories')?.fields.fields
    if (!field) throw new Error('categories ask questions')
    await render(
      <Form.Item label="Questions" validateStatus="error">
        <FieldInput
          field={field}
          name="fields"
          resource="ticket_categories"
          record={{}}
          value={[
            { label: 'Floor', kind: 'number' },
            { label: '', kind: 'text' },
          ]}
        />
      </Form.Item>,
    )
    await eventually(() => expect(screen.getAllByRole('combobox')).toHaveLength(2))
    const marked = [...document.querySelectorAll('.k-rows-cell[data-missing="true"] > label')]
    expect(marked.map((label) => label.textContent)).toEqual(['Label'])
    expect(document.querySelectorAll('.ant-select-status-error, .ant-input-status-error')).toHaveLength(0)
  })

  it('begin like the last one, with its next choice', () => {
    const hours = findDefinition('business_calendars')?.fields.hours
    const questions = findDefinition('ticket_categories')?.fields.fields
    if (hours?.type !== 'rows' || questions?.type !== 'rows') throw new Error('no fields of rows')
    expect(rowAfter(undefined, hours)).toEqual({ day: '1', from: '09:00', until: '18:00' })
    expect(rowAfter({ day: '1', from: '08:00', until: '17:30' }, hours)).toEqual({
      day: '2',
      from: '08:00',
      until: '17:30',
    })
    expect(rowAfter({ day: '7', from: '10:00', until: '14:00' }, hours).day).toBe('1')
    // A row that begins with a text is one of its own.
    expect(rowAfter({ key: 'floor', label: 'Floor', kind: 'number' }, questions)).toMatchObject({
      label: null,
      kind: 'text',
    })
  })
})
