// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { kindOf } from '@/resource/fields/kinds'
import { NumberControl } from '@/resource/fields/number/input'
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
