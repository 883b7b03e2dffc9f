import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { differences } from '../../scripts/schema/command'

it('the migrations make what supabase/schemas says; npm run schema -- diff <name> writes the next one', async () => {
  expect(await differences(resolve(import.meta.dirname, '../..'))).toEqual([])
})
