// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { Input } from '@/resource/fields/date/input'
import { kindOf } from '@/resource/fields/kinds'
import type { Field } from '@/resource/language/definition.generated'
import { DaysFilter } from '@/resource/screens/list/filter-inputs'
import type { FilterControlProps } from '@/resource/screens/list/filter-panel'
import { render } from '../../../support/render'

afterEach(cleanup)

it.each([
  ['date', '2026-01-10', '10.05.2029', '2029-05-10'],
  ['datetime', '2026-01-10T09:00:00.000Z', '10.05.2029 12:30', '2029-05-10'],
] as const)(
  'a %s that is being typed survives that its form is drawn again',
  async (type, value, typed, kept) => {
    const onChange = vi.fn()
    let drawAgain: () => void = () => undefined
    function Form() {
      const [, set] = useState(0)
      drawAgain = () => set((count) => count + 1)
      return (
        <Input
          id="day"
          name="day"
          resource="printers"
          record={{}}
          field={{ type } as Extract<Field, { type: never }>}
          value={value}
          onChange={onChange}
        />
      )
    }
    const { user } = await render(<Form />)
    const input = screen.getByRole('textbox')
    await user.click(input)
    fireEvent.change(input, { target: { value: typed } })
    act(() => drawAgain())
    await user.tab()
    expect(String(onChange.mock.lastCall?.[0])).toContain(kept)
  },
)

async function typeDay(text: string, start: string | null = '2026-11-22') {
  const onChange = vi.fn()
  function Form() {
    const [value, setValue] = useState<unknown>(start)
    const handleChange = (next: unknown) => {
      setValue(next)
      onChange(next)
    }
    const field = { type: 'date' } as Extract<Field, { type: 'date' }>
    const given = { id: 'day', name: 'day', resource: 'printers', record: {}, field }
    return <Input {...given} value={value} onChange={handleChange} />
  }
  const { user } = await render(<Form />)
  const input = screen.getByRole<HTMLInputElement>('textbox')
  await user.clear(input)
  if (text) await user.type(input, text)
  const whileTyping: unknown = onChange.mock.lastCall?.[0]
  await user.tab()
  return { input, whileTyping, value: onChange.mock.lastCall?.[0] as unknown }
}

it.each(['5.3.2027', '5 Mart 2027', '05032027'])('reads %s and shows what it understood', async (text) => {
  const { input, value } = await typeDay(text)
  expect(value).toBe('2027-03-05')
  expect(input.value).toBe('5 Mar 2027')
})

it('keeps a text that is not a date instead of the day before it, and refuses it', async () => {
  const { input, whileTyping, value } = await typeDay('31.02.2027')
  expect(input.value).toBe('31.02.2027')
  expect(whileTyping).toBe('31.02.2027')
  expect(value).toBe('31.02.2027')
  expect(kindOf('date').validate?.(value, { type: 'date' })).toEqual({ key: 'date' })
})

it('clears the day with its text', async () => {
  const { input, value } = await typeDay('')
  expect(value).toBeNull()
  expect(input.value).toBe('')
})

it('says the form in the placeholder', async () => {
  const { input } = await typeDay('', null)
  expect(input.placeholder).toBe('DD Mon YYYY')
})

it('does not narrow a list by a day it cannot read, and says so', async () => {
  const onChange = vi.fn()
  const field: Field = { type: 'date' }
  const given = {
    id: 'day',
    name: 'day',
    resource: 'printers',
    list: {} as FilterControlProps['list'],
    field,
  }
  const { user } = await render(<DaysFilter {...given} value="2026-01-01..2026-02-01" onChange={onChange} />)
  const from = screen.getByLabelText<HTMLInputElement>('From')
  await user.clear(from)
  await user.type(from, 'soon')
  await user.tab()
  expect(onChange).toHaveBeenLastCalledWith('..2026-02-01')
  expect(screen.getByRole('alert').textContent).toBe('Not a date. Write it like 22 Nov 2026.')
  await user.clear(from)
  await user.type(from, '5 Jan 2026')
  await user.tab()
  expect(onChange).toHaveBeenLastCalledWith('2026-01-05..2026-02-01')
  expect(screen.queryByRole('alert')).toBeNull()
})
