import { cpuMeter, type Metrics, measure } from './metrics'

/** Averages over five minutes, in percent; null where unknown. */
export interface Sample {
  /** Seconds since 1970 by the server's clock, a multiple of 300. */
  at: number
  cpu: number | null
  cpu_peak: number | null
  memory: number | null
  disk: number | null
}

const SLOT_SECONDS = 300
const MEASURE_MS = 30_000
/** A day without a network. */
const MAX_KEPT = 288
/** A device that checks in less often sends several samples at once, which costs the server less. */
const INTERVAL_PER_SAMPLE_SECONDS = 100

const average = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.round(known.reduce((sum, value) => sum + value, 0) / known.length)
}

/** Measures the device's load all the time and keeps the averages that the server has not confirmed. */
export class LoadHistory {
  private finished: Sample[] = []
  private slot = 0
  private readings: Metrics[] = []
  /** Server time less this process's monotonic clock, in ms: the device's own clock may be wrong. */
  private offset: number | null = null
  private timer: NodeJS.Timeout | null = null
  private readonly read: () => Promise<Metrics>

  constructor(
    read?: () => Promise<Metrics>,
    private readonly monotonic: () => number = () => performance.now(),
  ) {
    const meter = cpuMeter()
    this.read = read ?? (() => measure(meter))
  }

  /** The server's time, from its response: samples count from the first one on. */
  follow(serverTime: number): void {
    if (Number.isNaN(serverTime)) return
    this.offset = serverTime - this.monotonic()
    if (this.timer) return
    this.timer = setInterval(() => void this.measure(), MEASURE_MS)
    this.timer.unref()
    void this.measure()
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer)
    this.timer = null
  }

  async measure(): Promise<void> {
    const reading = await this.read().catch(() => null)
    if (reading === null || this.offset === null) return
    const slot = Math.floor((this.monotonic() + this.offset) / 1000 / SLOT_SECONDS) * SLOT_SECONDS
    if (slot !== this.slot) this.close()
    this.slot = slot
    this.readings.push(reading)
  }

  private close(): void {
    const { readings, slot } = this
    this.readings = []
    if (readings.length === 0) return
    const loads = readings.map(({ cpu }) => cpu).filter((cpu) => cpu !== null)
    this.finished.push({
      at: slot,
      cpu: average(loads),
      cpu_peak: loads.length === 0 ? null : Math.round(Math.max(...loads)),
      memory: average(readings.map(({ memory }) => memory)),
      disk: average(readings.map(({ disk }) => disk)),
    })
    this.finished = this.finished.slice(-MAX_KEPT)
  }

  /** The samples to send at a check-in: none until there are enough to fill the check-in interval. */
  due(intervalSeconds: number): Sample[] {
    return this.finished.length * INTERVAL_PER_SAMPLE_SECONDS < intervalSeconds ? [] : [...this.finished]
  }

  /** The server has taken these. */
  confirm(samples: readonly Sample[]): void {
    this.finished = this.finished.filter((sample) => !samples.includes(sample))
  }
}
