// @vitest-environment happy-dom
import { cleanup } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { FieldCell } from '@/resource/fields/cells'
import { omittedTags } from '@/ui/picker'
import { render } from '../../../support/render'

afterEach(cleanup)

const shown = { name: 'due_on', resource: 'loans', dense: true }
const color_when = { returned_on: { _null: true } }
const toneOf = (container: HTMLElement) => container.querySelector<HTMLElement>('[data-tone]')?.dataset.tone

it('a day that has passed is red while the record is open, and plain once it is done', async () => {
  const draw = async (returned_on: string | null) => {
    const field = { type: 'date' as const, warn_days: 3, color_when }
    const { container } = await render(
      <FieldCell {...shown} value="2020-01-01" field={field} row={{ due_on: '2020-01-01', returned_on }} />,
    )
    const tone = toneOf(container)
    const text = container.textContent
    cleanup()
    return { tone, text }
  }
  const [open, done] = [await draw(null), await draw('2020-01-05')]
  expect(open.tone).toBe('error')
  expect(done.tone).toBeUndefined()
  expect(done.text).toBe(open.text)
})

it('a number above its limit is red under the same condition', async () => {
  const draw = async (returned_on: string | null) => {
    const field = { type: 'number' as const, over: true, color_when }
    const { container } = await render(
      <FieldCell {...shown} value={-2} field={field} row={{ returned_on }} />,
    )
    const tone = toneOf(container)
    cleanup()
    return tone
  }
  expect([await draw(null), await draw('2020-01-05')]).toEqual(['error', undefined])
})

it('chosen values that all have room have no rest', () => {
  expect([omittedTags([]), omittedTags(['a', 'b'])]).toEqual([null, '+2'])
})
