import { spawnSync } from 'node:child_process'
import { readdirSync, readlinkSync } from 'node:fs'
import { textFile } from '../files'

/** In the environment of every process a run starts, so that one which left its group is still found. */
export const RUN_MARK = 'KONSOL_RUN_ID'

/** Marks that a process of a run inherits: `env -i` sheds the variable, but not the folder and the open file. */
export interface RunMarks {
  runId: string
  /** Working directory of the script. */
  folder: string
  /** A file that the script has open from its start. */
  file: string
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function openFiles(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`))
  } catch {
    // Gone, or another user's.
    return []
  }
}

/** Processes that carry a mark of the run; Linux only, elsewhere none are found this way. */
function marked({ runId, folder, file }: RunMarks): number[] {
  if (process.platform !== 'linux') return []
  const variable = `${RUN_MARK}=${runId}`
  // A removed file's link ends in " (deleted)".
  const isAt = (link: string, path: string) =>
    link === path || link.startsWith(`${path}/`) || link === `${path} (deleted)`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(
      (name) =>
        textFile(`/proc/${name}/environ`)?.split('\0').includes(variable) ||
        isAt(linkOf(`/proc/${name}/cwd`), folder) ||
        openFiles(name).some((link) => isAt(link, file)),
    )
    .map(Number)
}

/** Every process with its parent. */
function parents(): [pid: number, parent: number][] {
  if (process.platform === 'linux')
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => {
        // pid (name, which may hold spaces and brackets) state ppid …
        const parent = textFile(`/proc/${name}/stat`)
          ?.replace(/^.*\)\s/s, '')
          .split(' ')[1]
        return parent === undefined ? [] : [[Number(name), Number(parent)] as [number, number]]
      })
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
  return (stdout ?? '').split('\n').flatMap((line) => {
    const [pid, parent] = line.trim().split(/\s+/).map(Number)
    return pid && parent ? [[pid, parent] as [number, number]] : []
  })
}

/** Children and their children, also those that left the group and threw their environment away. */
function descendants(roots: readonly number[]): number[] {
  const all = parents()
  const found = new Set<number>()
  for (let level = [...roots]; level.length > 0; ) {
    level = all.flatMap(([pid, parent]) => (level.includes(parent) && !found.has(pid) ? [pid] : []))
    for (const pid of level) found.add(pid)
  }
  return [...found]
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone already, which is what was wanted.
  }
}

/**
 * Signals a run's whole tree: its group, every process that carries one of its marks, and all they started. `pid` is the group's leader,
 * if known; `known` are processes seen earlier, which may have lost their parent, and with it their place in the tree.
 * @returns the processes of the tree
 */
export function signalTree(
  pid: number | null,
  marks: RunMarks,
  signal: 'SIGTERM' | 'SIGKILL',
  known: readonly number[] = [],
): number[] {
  if (process.platform === 'win32') {
    if (pid !== null) spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'], { windowsHide: true })
    return []
  }
  const tree = new Set(known)
  // A process that forks while being killed shows up in a later round.
  for (let round = 0; round < (signal === 'SIGKILL' ? 5 : 1); round++) {
    const roots = [...(pid === null || round > 0 ? [] : [pid]), ...marked(marks)]
    if (round > 0 && roots.length === 0) break
    for (const each of [...roots, ...descendants(roots)]) tree.add(each)
    if (pid !== null) send(-pid, signal)
    for (const each of tree) send(each, signal)
  }
  return [...tree]
}
