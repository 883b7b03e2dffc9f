import { expect, it } from 'vitest'
import { LoadHistory } from '../../agent/inventory/load-history'

const MINUTE = 60_000
/** A multiple of 300 s. */
const START = Date.parse('2026-11-24T10:00:00Z')

/** A history whose clock and readings the test sets; its own timer never fires. */
function history() {
  let clock = 0
  let cpu: number | null = 10
  const load = new LoadHistory(
    async () => ({ cpu, memory: 40, disk: 50.4 }),
    () => clock,
  )
  return {
    load,
    measure: async (atMs: number, value: number | null) => {
      clock = atMs
      cpu = value
      await load.measure()
    },
    hear: (atMs: number, serverTime: number) => {
      clock = atMs
      load.follow(serverTime)
      load.stop()
    },
  }
}

it("keeps the average and the peak of five minutes by the server's clock", async () => {
  const { load, measure, hear } = history()
  hear(0, START)
  await measure(1 * MINUTE, 20)
  await measure(4 * MINUTE, 90)
  expect(load.due(5)).toEqual([])
  await measure(5 * MINUTE, 30)
  expect(load.due(5)).toMatchObject([{ at: START / 1000, cpu_peak: 90, memory: 40, disk: 50 }])
  expect(load.due(5)[0]?.cpu).toBeGreaterThan(30)
})

it('measures nothing before it knows the time', async () => {
  const { load, measure } = history()
  await measure(0, 20)
  await measure(10 * MINUTE, 20)
  expect(load.due(5)).toEqual([])
})

it('follows a server whose clock differs, and sends several samples at once where it checks in rarely', async () => {
  const { load, measure, hear } = history()
  hear(0, START)
  for (let minute = 1; minute <= 16; minute++) await measure(minute * MINUTE, 20)
  expect(load.due(400)).toEqual([])
  expect(load.due(300).map(({ at }) => at - START / 1000)).toEqual([0, 300, 600])
  hear(16 * MINUTE, START + 120 * MINUTE)
  await measure(17 * MINUTE, 20)
  await measure(23 * MINUTE, 20)
  expect(load.due(5).at(-1)?.at).toBe((START + 120 * MINUTE) / 1000)
})

it('keeps what was not confirmed, a day of it at most', async () => {
  const { load, measure, hear } = history()
  hear(0, START)
  await measure(5 * MINUTE, 20)
  const sent = load.due(5)
  await measure(10 * MINUTE, 20)
  load.confirm(sent)
  expect(load.due(5).map(({ at }) => at - START / 1000)).toEqual([300])
  for (let slot = 3; slot <= 400; slot++) await measure(slot * 5 * MINUTE, null)
  expect(load.due(5)).toHaveLength(288)
  expect(load.due(5).at(-1)).toMatchObject({ cpu: null, cpu_peak: null, memory: 40 })
})
