import { describe, expect, it } from 'vitest'
import { isWrite } from '@/data/own-writes'

describe('what this page itself changes', () => {
  it.each([
    ['POST', 'groups', true],
    ['PATCH', 'groups?id=eq.1', true],
    ['POST', 'rpc/save_rows', true],
    ['POST', 'rpc/bulk_edit', true],
    ['GET', 'groups?select=id', false],
    ['POST', 'rpc/facet_counts', false],
    ['POST', 'rpc/my_policy', false],
    ['POST', 'rpc/search_devices?select=id', false],
  ])('%s %s: %s', (method, path, expected) => {
    expect(isWrite(`http://127.0.0.1/rest/v1/${path}`, method)).toBe(expected)
  })

  it('is in the database, not in the sign-in', () => {
    expect(isWrite('http://127.0.0.1/auth/v1/token', 'POST')).toBe(false)
  })
})
