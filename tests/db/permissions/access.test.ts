import { afterAll, beforeAll, describe } from 'vitest'
import { drivers } from '../../support/backend'
import { openStage, type Stage } from '../access/stage'
import { tryFunctions } from '../access/try-functions'
import { tryTables } from '../access/try-tables'

describe.each(drivers('roles'))('access on %s', (driver) => {
  let stage: Stage
  const counts: Record<string, () => number> = {}
  beforeAll(async () => {
    stage = await openStage(driver)
  })
  afterAll(async () => {
    await stage?.backend.stop()
    for (const [what, count] of Object.entries(counts))
      console.log(`${what} access on ${driver}: ${count()} attempts`)
  })

  describe('every table × actor × company × command', () => {
    counts.table = tryTables(() => stage)
  })

  describe('every function × actor × company', () => {
    counts.function = tryFunctions(() => stage)
  })
})
