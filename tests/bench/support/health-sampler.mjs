// @ts-check
// A process of its own, so that the load's own work is not counted: asks /healthz every 20 ms over one connection of
// its own, and sends the times of each period to its parent. Plain JavaScript: it must not wait for a loader.
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

const EVERY_MS = 20
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const [url = '', server = ''] = process.argv.slice(2)
/** @type {{ took: number, unhindered: number }[]} */
let samples = []

/**
 * How long the main thread of a process has waited for a processor so far, in milliseconds: other programs' doing.
 * @param {string | number} pid
 */
const waited = (pid) => Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
const allWaits = () => waited(server) + waited(process.pid)

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
  const before = allWaits()
  const took = await sample()
  samples.push({ took, unhindered: Math.max(0, took - (allWaits() - before)) })
  await wait(Math.max(0, EVERY_MS - took))
}
