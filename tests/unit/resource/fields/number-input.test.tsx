// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { kindOf } from '@/resource/fields/kinds'
import { Input, NumberControl } from '@/resource/fields/number/input'
import { render } from '../../../support/render'

afterEach(cleanup)

async function typed(text: string, language: 'en' | 'tr') {
  const onChange = vi.fn()
  await render(<NumberControl name="n" resource="r" record={{}} value={null} onChange={onChange} />, {
    language,
  })
  fireEvent.change(screen.getByRole('spinbutton'), { target: { value: text } })
  cleanup()
  return onChange.mock.lastCall?.[0]
}

describe('a number', () => {
  it.each([
    ['12,5', 12.5, 12.5],
    ['1,5', 1.5, 1.5],
    ['12345', 12345, 12345],
    ['12.345', 12.345, 12345],
    ['12,345', 12345, 12.345],
    ['12.345,6', 12345.6, 12345.6],
  ])('is read from %s as people write it', async (text, english, turkish) => {
    expect(await typed(text, 'en')).toBe(english)
    expect(await typed(text, 'tr')).toBe(turkish)
  })

  it('has no more decimals than its field', () => {
    const check = (value: number, decimals?: number) =>
      kindOf('number').validate?.(value, {
        type: 'number',
        ...(decimals === undefined ? {} : { decimals }),
      } as never)
    expect(check(12.5)).toEqual({ key: 'whole' })
    expect(check(12.345, 2)).toEqual({ key: 'decimals', values: { max: 2 } })
    expect([check(12), check(12.34, 2)]).toEqual([null, null])
  })
})

describe('a span of time', () => {
  const span = async (text: string, field: object, language: 'en' | 'tr' = 'en') => {
    const onChange = vi.fn()
    const props = { name: 'n', resource: 'r', record: {}, value: 90, onChange }
    await render(<Input {...props} field={{ type: 'duration', ...field }} />, { language })
    const box = screen.getByRole<HTMLInputElement>('textbox')
    const shown = box.value
    fireEvent.change(box, { target: { value: text } })
    cleanup()
    return { shown, value: onChange.mock.lastCall?.[0] }
  }

  it.each([
    [{}, '1 min 30 s', '2 h', 7200],
    [{ unit: 'min' }, '1 h 30 min', '2 h', 120],
    [{ unit: 'min' }, '1 h 30 min', '45', 45],
  ] as const)('with %o shows %s, and reads %s as %i', async (field, shown, text, value) => {
    expect(await span(text, field)).toEqual({ shown, value })
  })

  it('is written in Turkish', async () => {
    expect(await span('2 sa', { unit: 'min' }, 'tr')).toEqual({ shown: '1 sa 30 dk', value: 120 })
  })

  it('that nobody can read is a problem of the field', async () => {
    expect((await span('soon', {})).value).toBeNaN()
  })

  it('of business time is written in hours', async () => {
    const props = { name: 'n', resource: 'r', record: {}, value: 2880 }
    await render(<Input {...props} field={{ type: 'duration', unit: 'min', in_hours: true }} />, {
      language: 'en',
    })
    expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('48 h')
  })
})
