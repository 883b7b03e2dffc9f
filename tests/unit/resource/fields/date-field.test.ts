import { describe, expect, it, vi } from 'vitest'
import { keepEnter } from '@/resource/fields/date/date-field'

describe('Enter in a date field', () => {
  const press = (key: string, tagName: string) => {
    const preventDefault = vi.fn()
    keepEnter({ key, target: { tagName }, preventDefault })
    return preventDefault.mock.calls.length > 0
  }

  it('takes the date and does not submit the form', () => {
    expect(press('Enter', 'INPUT')).toBe(true)
  })

  it('still presses the buttons of the open calendar, and other keys are their own', () => {
    expect(press('Enter', 'BUTTON')).toBe(false)
    expect(press('Tab', 'INPUT')).toBe(false)
  })
})
