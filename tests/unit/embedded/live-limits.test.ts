import { expect, it } from 'vitest'
import { Strangers } from '../../../supabase/embedded/live/server'

it('lets in 50 connections of an address and 2,000 in all before they show a token', () => {
  const strangers = new Strangers()
  const settled = Array.from({ length: 50 }, () => strangers.add('192.0.2.1'))
  expect(strangers.isFull('192.0.2.1')).toBe(true)
  expect(strangers.isFull('192.0.2.2')).toBe(false)
  for (let n = 50; n < 2_000; n++) strangers.add(`198.51.100.${n % 250}`)
  expect(strangers.isFull('192.0.2.2')).toBe(true)
  settled[0]?.()
  expect(strangers.isFull('192.0.2.2')).toBe(false)
  expect(strangers.isFull('192.0.2.1')).toBe(false)
})
