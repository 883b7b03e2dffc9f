import { uptime } from 'node:os'
import { isRecord, textFile } from './files'

/** A process that another process can recognize later, when its pid may belong to someone else. */
export interface ProcessId {
  pid: number
  /** When the process started, in the system's own units; null where the system does not tell. */
  started: string | null
  /** When this was written, in ms; a process from before the last boot is gone. */
  at: number
}

/** Changes with every boot of the machine; null where the system does not tell. */
export const bootId = (): string | null => textFile('/proc/sys/kernel/random/boot_id')?.trim() || null

/** Null where the system does not tell (then the pid alone decides); 'gone' for no process, or a zombie. */
function startOf(pid: number): string | null | 'gone' {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'gone'
  }
  if (process.platform !== 'linux') return null
  // pid (name, may hold spaces and brackets) state ppid … the 22nd field is the start time.
  const fields = textFile(`/proc/${pid}/stat`)
    ?.replace(/^.*\)\s/s, '')
    .split(' ')
  if (!fields) return 'gone'
  return fields[0] === 'Z' ? 'gone' : (fields[19] ?? null)
}

export const thisProcess = (): ProcessId => ({
  pid: process.pid,
  started: startOf(process.pid),
  at: Date.now(),
})

export function toProcessId(value: unknown): ProcessId | null {
  if (!isRecord(value) || typeof value.pid !== 'number') return null
  return {
    pid: value.pid,
    started: typeof value.started === 'string' ? value.started : null,
    at: typeof value.at === 'number' ? value.at : Date.now(),
  }
}

/** Clocks are set and uptimes rounded. */
const BOOT_TOLERANCE_MS = 120_000

export function isAlive({ pid, started, at }: ProcessId): boolean {
  const now = startOf(pid)
  if (now === 'gone') return false
  if (now !== null && started !== null) return now === started
  return at > Date.now() - uptime() * 1000 - BOOT_TOLERANCE_MS
}
