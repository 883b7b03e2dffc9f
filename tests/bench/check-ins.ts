import { DEVICE_SECRET } from './fleet'
import type { Place } from './place'

/** A device that has checked in before: what it sends when nothing about it changed. */
function payload(device: { id: string; number: number }, round: number) {
  return {
    payload: {
      device_id: device.id,
      secret: DEVICE_SECRET(device.number),
      agent_version: '1.0.0',
      metrics: { cpu: (round * 7) % 100, memory: (round * 13) % 100, disk: 41 },
      inventory_hash: `inventory-${device.number}`,
      running: [],
    },
  }
}

export interface Rate {
  clients: number
  perSecond: number
  /** Milliseconds a check-in takes when it is alone. Meaningful for one client. */
  each: number
}

/** Lets `clients` devices check in one after the other for `seconds`, each as fast as it is answered. */
export async function checkIns(
  place: Place,
  devices: { id: string; number: number }[],
  clients: number,
  seconds: number,
): Promise<Rate> {
  let done = 0
  const until = performance.now() + seconds * 1000
  const started = performance.now()
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let round = 0; performance.now() < until; round++) {
        const device = devices[(client + round * clients) % devices.length]
        if (!device) throw new Error('There is no device to check in.')
        const response = await fetch(`${place.url}/rest/v1/rpc/agent_check_in`, {
          method: 'POST',
          headers: { apikey: place.key, 'content-type': 'application/json' },
          body: JSON.stringify(payload(device, round)),
        })
        const text = await response.text()
        if (!response.ok) throw new Error(`Check-in at ${place.name}: ${response.status} ${text}`)
        done++
      }
    }),
  )
  const elapsed = performance.now() - started
  return { clients, perSecond: (done * 1000) / elapsed, each: (elapsed * clients) / done }
}
