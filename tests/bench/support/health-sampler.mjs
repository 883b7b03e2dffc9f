// @ts-check
// A process of its own, so that the load's own work is not counted: asks /healthz every 20 ms over one connection of
// its own, and sends the times of each period to its parent. Plain JavaScript: it must not wait for a loader.
import { Agent, get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const EVERY_MS = 20
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const url = String(process.argv[2])
/** @type {number[]} */
let samples = []

/** Milliseconds from sending the request to the last byte of its answer. */
const sample = () =>
  new Promise((resolve, reject) => {
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
  const took = await sample()
  samples.push(took)
  await wait(Math.max(0, EVERY_MS - took))
}
