import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { normalizeDatabaseError } from '../../../supabase/embedded/database/errors.mjs'

const refused = (message: string, code = '22P02') =>
  normalizeDatabaseError(Object.assign(new Error(message), { code }))

it('a refused request is one short line of the log, whatever it sent', () => {
  expect(
    inspect(refused('invalid input syntax for type uuid: "x\n23514 forged\u001b[31m\u2028\u202e"')),
  ).toBe('22P02 invalid input syntax for type uuid: "x\\u000a23514 forged\\u001b[31m\\u2028\\u202e"')
  expect(inspect(refused('y'.repeat(1_000_000))).length).toBeLessThan(310)
})

it('a value that is too long is quoted in part', () => {
  const { message } = refused(`malformed array literal: "${'y'.repeat(1_000_000)}"`) as Error
  expect(message.length).toBeLessThan(2200)
  expect(message).toContain('malformed array literal')
})
