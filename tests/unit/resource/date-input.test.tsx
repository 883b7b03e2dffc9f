// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import type { Field } from '@/resource/definition/definition.generated'
import { Input as DateInput } from '@/resource/fields/date/input'
import { Input as DateTimeInput } from '@/resource/fields/datetime/input'
import { render } from '../../support/render'

afterEach(cleanup)

it.each([
  ['date', DateInput, '2026-01-10', '10.05.2029', '2029-05-10'],
  ['datetime', DateTimeInput, '2026-01-10T09:00:00.000Z', '10.05.2029 12:30', '2029-05-10'],
] as const)(
  'a %s that is being typed survives that its form is drawn again',
  async (type, Input, value, typed, kept) => {
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
