import { afterEach, expect, it, vi } from 'vitest'
import { createQueue, onBehalfOf } from '../../../supabase/embedded/database/queue'

afterEach(() => void vi.useRealTimers())

it('gives each account its turn, and the server before all of them', async () => {
  const exclusive = createQueue()
  const done: string[] = []
  const task = (name: string) => exclusive(async () => void done.push(name))
  const asked = [
    ...['a1', 'a2', 'a3'].map((name) => onBehalfOf('a', () => task(name))),
    ...['b1', 'b2'].map((name) => onBehalfOf('b', () => task(name))),
    onBehalfOf('c', () => task('c1')),
    task('server'),
  ]
  await Promise.all(asked)
  expect(done).toEqual(['a1', 'server', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

it('runs one task at a time, and the next after one that failed', async () => {
  const exclusive = createQueue()
  let running = 0
  const task = async () => {
    expect(++running).toBe(1)
    await Promise.resolve()
    running--
    throw new Error('failed')
  }
  const results = await Promise.allSettled(
    ['a', 'b', 'a'].map((name) => onBehalfOf(name, () => exclusive(task))),
  )
  expect(results.map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
  expect(await exclusive(async () => 'done')).toBe('done')
})

it('keeps the account of a task for what the task itself asks', async () => {
  const exclusive = createQueue()
  const done: string[] = []
  const note = (name: string) => exclusive(async () => void done.push(name))
  const later: Promise<void>[] = []
  const server = note('server')
  const first = onBehalfOf('a', () => exclusive(async () => void later.push(note('a2'))))
  const others = onBehalfOf('b', () => [note('b1'), note('b2')])
  await Promise.all([server, first, ...others])
  await Promise.all(later)
  expect(done).toEqual(['server', 'b1', 'a2', 'b2'])
})

it('serves who comes during a task before the next one of the same account', async () => {
  const exclusive = createQueue()
  const done: string[] = []
  let finish = () => undefined as unknown
  const first = onBehalfOf('a', () => exclusive(() => new Promise<void>((end) => (finish = end))))
  const second = onBehalfOf('a', () => exclusive(async () => void done.push('a2')))
  const other = onBehalfOf('b', () => exclusive(async () => void done.push('b')))
  finish()
  await Promise.all([first, second, other])
  expect(done).toEqual(['b', 'a2'])
})

it('lets an account rest after a slow task while others ask, and only then', async () => {
  vi.useFakeTimers()
  const exclusive = createQueue()
  const starts: string[] = []
  const task = (name: string, milliseconds: number) =>
    onBehalfOf(name, () =>
      exclusive(async () => {
        starts.push(`${name} at ${Date.now() - began}`)
        await new Promise((end) => setTimeout(end, milliseconds))
      }),
    )
  const began = Date.now()
  const slow = [task('a', 4_000), task('a', 4_000), task('a', 10)]
  const quick = new Promise<void>((done) => setTimeout(() => void task('b', 10).then(done), 5_000))
  await vi.runAllTimersAsync()
  await Promise.all([...slow, quick])
  // Alone at first; from 8,000 on, b was there a moment ago.
  expect(starts).toEqual(['a at 0', 'a at 4000', 'b at 8000', 'a at 12000'])
})

it('lets who was quick go before unknown accounts with slow tasks, which wait their turn all the same', async () => {
  vi.useFakeTimers()
  const exclusive = createQueue()
  const waits: number[] = []
  const ends: string[] = []
  const ask = async (name: string, milliseconds: number) => {
    const asked = Date.now()
    await onBehalfOf(name, () => exclusive(() => new Promise<void>((end) => setTimeout(end, milliseconds))))
    if (name === 'agent') waits.push(Date.now() - asked)
    else ends.push(`${name} at ${Date.now() - began}`)
  }
  await Promise.all([ask('agent', 10), vi.advanceTimersByTimeAsync(10)])
  waits.length = 0
  const began = Date.now()
  const all = ['a', 'b', 'c', 'd'].map((name) => ask(name, 8_000))
  for (let at = 0; at < 60_000; at += 1_000) setTimeout(() => all.push(ask('agent', 10)), at)
  await vi.advanceTimersByTimeAsync(70_000)
  await Promise.all(all)
  expect(waits).toHaveLength(60)
  // A waiter sees one slow task, not four: the one it came in.
  expect(Math.max(...waits)).toBeLessThan(8_200)
  expect(ends.map((end) => end.split(' ')[0])).toEqual(['a', 'b', 'c', 'd'])
})

it('lets an unknown account in after a while, though a quick one always asks and others are slow', async () => {
  vi.useFakeTimers()
  const exclusive = createQueue()
  const began = Date.now()
  const ask = (name: string, milliseconds: number) =>
    onBehalfOf(name, () => exclusive(() => new Promise<void>((end) => setTimeout(end, milliseconds))))
  let isOver = false
  const busy = Array.from({ length: 8 }, async () => {
    while (!isOver) await ask('quick', 50)
  })
  await vi.advanceTimersByTimeAsync(1_000)
  const slow = ['a', 'b', 'c', 'd', 'e'].map((name) => ask(name, 8_000))
  const asked = Date.now() - began
  const waited = ask('unknown', 10).then(() => Date.now() - began - asked)
  await vi.advanceTimersByTimeAsync(120_000)
  isOver = true
  await vi.runAllTimersAsync()
  await Promise.all([...busy, ...slow])
  // Alerts one after the other would be 18 s for each of the five.
  expect(await waited).toBeLessThan(60_000)
})

it('leaves turns to others where several run at once', async () => {
  const exclusive = createQueue({ width: 4, share: 2 })
  const done: string[] = []
  let finish = () => undefined as unknown
  const open = new Promise<void>((end) => (finish = () => end()))
  const slow = Array.from({ length: 10 }, () => onBehalfOf('a', () => exclusive(() => open)))
  const other = ['b', 'c', 'd'].map((name) =>
    onBehalfOf(name, () => exclusive(async () => void done.push(name))),
  )
  await Promise.all(other)
  expect(done).toEqual(['b', 'c', 'd'])
  finish()
  await Promise.all(slow)
})

it('keeps turns free for others when two accounts ask slow things at once', async () => {
  vi.useFakeTimers()
  const exclusive = createQueue({ width: 8, share: 4 })
  const took: Record<string, number[]> = { a: [], b: [], c: [] }
  const ask = async (name: string, milliseconds: number) => {
    const asked = Date.now()
    await onBehalfOf(name, () => exclusive(() => new Promise<void>((end) => setTimeout(end, milliseconds))))
    took[name]?.push(Date.now() - asked)
  }
  const all = ['a', 'b'].flatMap((name) => Array.from({ length: 20 }, () => ask(name, 8_000)))
  for (let at = 0; at < 40_000; at += 500) setTimeout(() => all.push(ask('c', 10)), at)
  await vi.advanceTimersByTimeAsync(40_000)
  expect(took.c).toHaveLength(80)
  expect(Math.max(...(took.c ?? []))).toBe(10)
  // Four and two at first, then one at a time each.
  expect(took.a?.concat(took.b ?? []).length).toBeLessThan(20)
  await vi.runAllTimersAsync()
  await Promise.all(all)
})

it('keeps turns free for others when more accounts than there are turns ask slow things', async () => {
  vi.useFakeTimers()
  const exclusive = createQueue({ width: 6, share: 3 })
  const waits: number[] = []
  let served = 0
  const ask = async (name: string, milliseconds: number) => {
    const asked = Date.now()
    await onBehalfOf(name, () => exclusive(() => new Promise<void>((end) => setTimeout(end, milliseconds))))
    if (name === 'quick') waits.push(Date.now() - asked)
    else served++
  }
  const slow = Array.from({ length: 8 }, (_, n) => Array.from({ length: 5 }, () => ask(`slow ${n}`, 8_000)))
  // Nobody is known to be slow until the first statements have timed out.
  await vi.advanceTimersByTimeAsync(16_000)
  const quick: Promise<void>[] = []
  for (let at = 0; at < 30_000; at += 500) setTimeout(() => quick.push(ask('quick', 10)), at)
  await vi.advanceTimersByTimeAsync(30_010)
  expect(waits).toHaveLength(60)
  expect(Math.max(...waits)).toBe(10)
  await vi.runAllTimersAsync()
  await Promise.all([...slow.flat(), ...quick])
  expect(served).toBe(40)
})

it('gives a slow account its whole share back after a while', async () => {
  vi.useFakeTimers()
  const exclusive = createQueue({ width: 4, share: 2 })
  let running = 0
  let most = 0
  const ask = (milliseconds: number) =>
    onBehalfOf('a', () =>
      exclusive(async () => {
        most = Math.max(most, ++running)
        await new Promise<void>((end) => setTimeout(end, milliseconds))
        running--
      }),
    )
  const both = async () => {
    most = 0
    const asked = [ask(10), ask(10)]
    await vi.advanceTimersByTimeAsync(100)
    await Promise.all(asked)
    return most
  }
  const slow = ask(2_000)
  await vi.advanceTimersByTimeAsync(2_000)
  await slow
  expect(await both()).toBe(1)
  await vi.advanceTimersByTimeAsync(20_000)
  expect(await both()).toBe(2)
})
