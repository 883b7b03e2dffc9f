/**
 * `npm run bench:commands`: the processor time of each command that an admin or an engineer waits for, in a copy of the
 * tree without anything that an earlier command kept; then the commands again, with what they keep.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setting } from './setting'
import { table } from './statistics'

const ROOT = resolve(import.meta.dirname, '../..')
const ROUNDS = setting('BENCH_ROUNDS', 3, 1)
const LIMIT_SECONDS = 3

interface Command {
  name: string
  words: readonly string[]
  /** Changes the tree first, as the person does who then runs the command. */
  prepare?: (tree: string) => void
}

const edit = (file: string, change: (text: string) => string) => (tree: string) =>
  writeFileSync(join(tree, file), change(readFileSync(join(tree, file), 'utf8')))

const COMMANDS: readonly Command[] = [
  { name: 'resource check', words: ['resource', 'check'] },
  {
    name: 'resource new',
    words: [
      'resource',
      'new',
      'printers',
      'serial:text!',
      'model:text',
      '--label',
      'Printer/Printers',
      '--label-tr',
      'Yazıcı/Yazıcılar',
    ],
  },
  {
    name: 'resource migrate',
    words: ['resource', 'migrate', 'printers'],
    prepare: edit('resources/printers.json', (text) =>
      text.replace('"fields": {', '"fields": {\n    "room": { "type": "text", "max_length": 40 },'),
    ),
  },
  {
    name: 'policies',
    words: ['policies'],
    prepare: edit('policies/standard.csv', (text) => `${text}p, Standard, printers, list, allow\n`),
  },
  { name: 'policies --check', words: ['policies', '--check'] },
]

/** Processor seconds of a command and all that it started, and how long it took. */
function time(tree: string, words: readonly string[]): { processor: number; wall: number } {
  const npm = ['npm', 'run', '-s', words[0] ?? '', '--', ...words.slice(1)]
  const { stdout, stderr, status } = spawnSync(
    'bash',
    ['-c', 'TIMEFORMAT="spent %U %S %R"; time "$@"', 'bash', ...npm],
    { cwd: tree, encoding: 'utf8', env: { ...process.env, DATA_DIR: join(tree, 'data'), LC_ALL: 'C' } },
  )
  const [, user, system, wall] = /spent ([\d.]+) ([\d.]+) ([\d.]+)/.exec(stderr) ?? []
  if (status !== 0 || wall === undefined)
    throw new Error(`npm run ${words.join(' ')} exited with ${status}:\n${stdout}${stderr}`)
  return { processor: Number(user) + Number(system), wall: Number(wall) }
}

const seconds = (values: readonly number[]) => Math.min(...values).toFixed(1)

const first = new Map<string, number[]>()
const again = new Map<string, number[]>()
const walls = new Map<string, number[]>()
const note = (map: Map<string, number[]>, name: string, value: number) =>
  map.set(name, [...(map.get(name) ?? []), value])

for (let round = 0; round < ROUNDS; round++) {
  const tree = mkdtempSync(join(tmpdir(), 'bench-commands-'))
  try {
    execFileSync('sh', [
      '-c',
      'git -C "$0" ls-files -z | tar -C "$0" --null -T - -c | tar -x -C "$1"',
      ROOT,
      tree,
    ])
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'), 'junction')
    for (const { name, words, prepare } of COMMANDS) {
      prepare?.(tree)
      const { processor, wall } = time(tree, words)
      note(first, name, processor)
      note(walls, name, wall)
      if (name.includes('check')) note(again, name, time(tree, words).processor)
    }
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

console.log(`Seconds, the least of ${ROUNDS}. Load average: ${loadavg()[0]?.toFixed(2)}.\n`)
console.log(
  table(
    ['command', 'processor', 'again', 'from Enter to the end', `${LIMIT_SECONDS} s of processor`],
    COMMANDS.map(({ name }) => {
      const spent = first.get(name) ?? []
      return [
        name,
        seconds(spent),
        again.has(name) ? seconds(again.get(name) ?? []) : '·',
        seconds(walls.get(name) ?? []),
        Math.min(...spent) <= LIMIT_SECONDS ? 'kept' : 'OVER',
      ]
    }),
  ),
)
