import type { StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { cpus, freemem, totalmem } from 'node:os'
import { textFile } from '../files'

/** Percentages; null where not known yet. */
export interface Metrics {
  cpu: number | null
  memory: number | null
  disk: number | null
}

interface Ticks {
  busy: number
  all: number
}

function ticks(): Ticks {
  let busy = 0
  let all = 0
  for (const { times } of cpus()) {
    const sum = times.user + times.nice + times.sys + times.idle + times.irq
    busy += sum - times.idle
    all += sum
  }
  return { busy, all }
}

/** The load of the processors between one call and the next; null at the first. */
export function cpuMeter(): () => number | null {
  let before: Ticks | null = null
  return () => {
    const now = ticks()
    const last = before
    before = now
    return last && now.all > last.all ? (100 * (now.busy - last.busy)) / (now.all - last.all) : null
  }
}

const sinceLastMeasure = cpuMeter()

/** The memory that programs could still get: cached files count as free, as the kernel itself reckons. */
function freeMemory(): number {
  const available = /^MemAvailable:\s+(\d+) kB/m.exec(textFile('/proc/meminfo') ?? '')?.[1]
  return available === undefined ? freemem() : Number(available) * 1024
}

/** As df: of what an ordinary user could have, without the blocks that are kept for root. */
export function usedPercent(size: Pick<StatsFs, 'blocks' | 'bfree' | 'bavail'>): number | null {
  const used = size.blocks - size.bfree
  return used + size.bavail > 0 ? (100 * used) / (used + size.bavail) : null
}

async function diskPercent(): Promise<number | null> {
  try {
    const root = await statfs(process.platform === 'win32' ? `${process.env.SystemDrive ?? 'C:'}\\` : '/')
    return usedPercent(root)
  } catch {
    return null
  }
}

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value * 10) / 10)

export async function measure(cpuPercent: () => number | null = sinceLastMeasure): Promise<Metrics> {
  return {
    cpu: rounded(cpuPercent()),
    memory: rounded(100 * (1 - freeMemory() / totalmem())),
    disk: rounded(await diskPercent()),
  }
}
