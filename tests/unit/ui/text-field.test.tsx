// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, describe, expect, it } from 'vitest'
import { Input } from '@/resource/fields/text/input'
import { TextField } from '@/ui/text-field'
import { render } from '../../support/render'

function Name() {
  const [value, setValue] = useState('')
  return <TextField label="Name" value={value} onChange={setValue} maxLength={10} />
}

function DefinedName() {
  const [value, setValue] = useState('')
  const onChange = (next: unknown) => setValue(String(next))
  return (
    <Input
      {...{
        field: { type: 'text', max_length: 10 },
        name: 'name',
        resource: 'groups',
        record: {},
        value,
        onChange,
      }}
    />
  )
}

afterEach(cleanup)

describe.each([
  ['a plain field', <Name key="plain" />],
  ['a field of a definition', <DefinedName key="defined" />],
])('the counter of %s', (_what, field) => {
  it('is shown near the limit, keeps the focus, and tells that nothing more is taken', async () => {
    const { user } = await render(field)
    const box = screen.getByRole('textbox')
    await user.type(box, '1234567')
    expect(screen.queryByText('7/10')).toBeNull()
    await user.type(box, '8')
    expect(screen.getByText('8/10')).toBeTruthy()
    expect(screen.getByRole('status', { name: '' }).textContent).toBe('8 of 10 characters')
    await user.type(box, '90x')
    expect(screen.getByText('10/10')).toBeTruthy()
    expect(document.activeElement).toBe(box)
  })

  it('tells that a pasted text was cut, until something else is typed', async () => {
    const { user } = await render(field)
    const box = screen.getByRole('textbox')
    await user.click(box)
    await user.paste('12345')
    expect(screen.queryByRole('alert')).toBeNull()
    await user.paste('6789012345')
    expect(screen.getByRole('alert').textContent?.trim()).toBe('The pasted text was cut to 10 characters.')
    await user.keyboard('{Backspace}9')
    expect(screen.queryByRole('alert')).toBeNull()
  })
})
