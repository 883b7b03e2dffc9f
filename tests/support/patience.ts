import { cpus } from 'node:os'
import { Worker } from 'node:worker_threads'

/** The work below on a quiet machine of the kind that the limits of the tests were chosen on. */
const REFERENCE_MS = 700
const LARGEST = 8
const WORK = `
  const { createHash } = require('node:crypto')
  const block = Buffer.alloc(1 << 20, 7)
  for (let n = 0; n < 1000; n++) createHash('sha256').update(block).digest()`

/**
 * How many times slower this machine is now than a quiet one, from 1 to 8: the same work on every core at once, so that
 * other processes which keep the cores busy count as well.
 */
export async function measurePace(): Promise<number> {
  const started = performance.now()
  await Promise.all(
    cpus().map(
      () =>
        new Promise((done, fail) => {
          new Worker(WORK, { eval: true }).once('error', fail).once('exit', done)
        }),
    ),
  )
  return Math.min(LARGEST, Math.max(1, (performance.now() - started) / REFERENCE_MS))
}

/** A limit in milliseconds, longer on a machine that is slower: `npm test` measures it and sets TEST_PACE. */
export const patience = (milliseconds: number): number =>
  Math.ceil(milliseconds * Number(process.env.TEST_PACE ?? 1))
