// @vitest-environment happy-dom
import { expect, it } from 'vitest'
import { failedAttempt } from '@/session/failed-attempts'

it('a failed attempt carries a fixed address and fits the table', () => {
  const row = failedAttempt(`${'a'.repeat(300)}@x.test`, 'r'.repeat(900), 'u'.repeat(900))
  expect(row.ip_address).toBe('browser')
  expect(row.user_email).toHaveLength(255)
  expect(row.failure_reason).toHaveLength(500)
  expect(row.user_agent).toHaveLength(500)
})
