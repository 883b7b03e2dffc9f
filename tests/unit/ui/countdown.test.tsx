// @vitest-environment happy-dom
import { cleanup } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { Countdown } from '@/ui/countdown'
import { render } from '../../support/render'

afterEach(cleanup)

const HOUR = 3_600_000

it.each([
  [(2 * 24 + 23) * HOUR + 30_000, '2 days 23 hr left'],
  [-(2 * 24 + 23) * HOUR - 30_000, '2 days overdue'],
  [-23 * HOUR - 30_000, '23 hr overdue'],
])('a moment %d ms away reads %s, short enough for a column', async (left, text) => {
  const { container } = await render(<Countdown value={new Date(Date.now() + left).toISOString()} />)
  expect(container.textContent).toBe(text)
})
