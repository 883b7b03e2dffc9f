import type { Core } from '../core'

const CHANNEL = 'konsol_device'
/** As long as the usual pause between two check-ins: what no signal tells of waits no longer than without a terminal. */
const WAIT_MS = 5_000
/** The limit for one device, whose agent has one at a time. */
const MAX_WAITING = 2

export interface Wait {
  /** True when a run was queued or the time is over; false when nobody waits any more. */
  told: Promise<boolean>
  stop: () => void
}

/** Tells the waiting check-in of a device with an open terminal that a run was queued for it. */
export class DeviceSignals {
  readonly #waiting = new Map<string, Set<() => void>>()

  async attach({ database }: Core): Promise<void> {
    await database.listen(
      CHANNEL,
      (device) => this.#tell(device),
      () => {
        for (const device of [...this.#waiting.keys()]) this.#tell(device)
      },
    )
  }

  /** Waits from now on, so that nothing queued from now on is missed. Null where the device waits already. */
  wait(device: string): Wait | null {
    const waiting = this.#waiting.get(device) ?? new Set()
    if (waiting.size >= MAX_WAITING) return null
    this.#waiting.set(device, waiting)
    let end: (isTold: boolean) => void = () => undefined
    const told = new Promise<boolean>((done) => {
      end = done
    })
    const tell = () => end(true)
    waiting.add(tell)
    const timer = setTimeout(tell, WAIT_MS)
    return {
      told,
      stop: () => {
        clearTimeout(timer)
        end(false)
        waiting.delete(tell)
        if (waiting.size === 0) this.#waiting.delete(device)
      },
    }
  }

  #tell(device: string): void {
    for (const tell of this.#waiting.get(device) ?? []) tell()
  }
}
