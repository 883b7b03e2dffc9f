import { expect, it } from 'vitest'
import { createQueue, onBehalfOf } from '../../../supabase/embedded/database/queue'

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
  expect(done).toEqual(['a1', 'server', 'a2', 'b1', 'c1', 'a3', 'b2'])
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
