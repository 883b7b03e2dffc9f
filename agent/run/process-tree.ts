import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { textFile } from '../files'

/** In the environment of every process a run starts, so that one which left its group is still found. */
export const RUN_MARK = 'KONSOL_RUN_ID'

/** Processes of a run by its mark; Linux only, elsewhere none are found this way. */
function marked(runId: string): number[] {
  if (process.platform !== 'linux') return []
  const mark = `${RUN_MARK}=${runId}`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => textFile(`/proc/${name}/environ`)?.split('\0').includes(mark))
    .map(Number)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone already, which is what was wanted.
  }
}

/** Signals a run's whole tree: its group, and on Linux whoever left the group. `pid` is the group's leader, if known. */
export function signalTree(pid: number | null, runId: string, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'win32') {
    if (pid !== null) spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true })
    return
  }
  if (pid !== null) send(-pid, signal)
  // A process that forks while being killed shows up in a later round.
  for (let round = 0; round < (signal === 'SIGKILL' ? 5 : 1); round++) {
    const left = marked(runId)
    if (left.length === 0) return
    for (const each of left) send(each, signal)
  }
}
