import { expect, it, vi } from 'vitest'
import { randomUuid } from '@/data/random-uuid'

it('makes version 4 UUIDs where the page was loaded without HTTPS', () => {
  vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) })
  const made = Array.from({ length: 50 }, randomUuid)
  vi.unstubAllGlobals()
  expect(new Set(made).size).toBe(50)
  for (const uuid of made)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})
