// @ts-check
// A process of its own, so that the load's own work is not counted: asks /healthz every 20 ms over one connection of
// its own, and sends the times of each period to its parent. Plain JavaScript: it must not wait for a loader.
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const EVERY_MS = 20
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const [url = '', server = ''] = process.argv.slice(2)
/** @type {{ took: number, worked: number }[]} */
let samples = []

/** How long the server's main thread has run so far, in milliseconds: another program's load does not count in it. */
const worked = () =>
  Number(readFileSync(`/proc/${server}/task/${server}/schedstat`, 'utf8').split(' ')[0]) / 1e6

/** Milliseconds from sending the request to the last byte of its answer. */
const sample = () =>
  /** @type {Promise<number>} */ new Promise((resolve, reject) => {
    const sent = performance.now()
    get(url, { agent }, (response) => {
      response.resume().on('end', () => resolve(performance.now() - sent))
    }).on('error', reject)
  })

process.on('message', () => {
  process.send?.(samples)
  samples = []
})
process.on('disconnect', () => process.exit(0))

for (;;) {
  const before = worked()
  const took = await sample()
  samples.push({ took, worked: worked() - before })
  await wait(Math.max(0, EVERY_MS - took))
}
