import { DEVICE_SECRET } from './fleet'
import type { Place } from './place'
import { type Times, times } from './statistics'

export interface Device {
  id: string
  number: number
}

/** A device that has checked in before: what it sends when nothing about it changed. */
export function payload(device: Device, round: number, monitorsHash: string | null) {
  return {
    payload: {
      device_id: device.id,
      secret: DEVICE_SECRET(device.number),
      agent_version: '1.0.0',
      metrics: { cpu: (round * 7) % 100, memory: (round * 13) % 100, disk: 41 },
      inventory_hash: `inventory-${device.number}`,
      running: [],
      monitors_hash: monitorsHash,
    },
  }
}

export interface Rate {
  clients: number
  done: number
  perSecond: number
  /** Milliseconds a check-in takes when it is alone. Meaningful for one client. */
  each: number
  /** Milliseconds from sending a check-in to the end of its response. */
  latency: Times
}

export async function checkIn(place: Place, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${place.url}/rest/v1/rpc/agent_check_in`, {
    method: 'POST',
    headers: { apikey: place.key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`Check-in at ${place.name}: ${response.status} ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}

/** Devices that have fetched their monitors. */
async function prepared(place: Place, devices: readonly Device[]) {
  const known: { device: Device; hash: string }[] = []
  for (const device of devices) {
    const answer = await checkIn(place, payload(device, 0, null))
    known.push({ device, hash: String(answer.monitors_hash) })
  }
  return known
}

/** Lets `clients` devices check in one after the other for `seconds`, each as fast as it is answered. */
export async function checkIns(
  place: Place,
  devices: readonly Device[],
  clients: number,
  seconds: number,
): Promise<Rate> {
  const known = await prepared(place, devices)
  let done = 0
  const samples: number[] = []
  const until = performance.now() + seconds * 1000
  const started = performance.now()
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let round = 0; performance.now() < until; round++) {
        const one = known[(client + round * clients) % known.length]
        if (!one) throw new Error('There is no device to check in.')
        const sent = performance.now()
        await checkIn(place, payload(one.device, round, one.hash))
        samples.push(performance.now() - sent)
        done++
      }
    }),
  )
  const elapsed = performance.now() - started
  return {
    clients,
    done,
    perSecond: (done * 1000) / elapsed,
    each: (elapsed * clients) / done,
    latency: times(samples),
  }
}
