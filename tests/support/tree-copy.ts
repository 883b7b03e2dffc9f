import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { checkTree } from '../../scripts/resource/check'
import { migratedCatalog, openScratch } from '../../scripts/resource/scratch'
import { differences } from '../../scripts/schema/command'
import { ROOT } from '../../supabase/embedded/root'
import { snapshotFile } from '../../supabase/embedded/snapshot'
import type { TestBackend } from './backend'
import { madeOnce } from './made-once'

const COPIED = [
  'agent',
  'casbin-model.conf',
  'docs',
  'index.html',
  'locales',
  'package.json',
  'policies',
  'public',
  'resources',
  'scripts',
  'src',
  'supabase',
  'tsconfig.json',
]
const MIGRATIONS = 'supabase/migrations'
const PACKED = 'supabase/.temp/commands'
const COMMANDS = ['resource', 'policies', 'schema']
const run = promisify(execFile)

/** Takes along what commands keep between their calls: else each copy would make its database by every migration. */
async function copyKept(root: string): Promise<void> {
  const snapshot = snapshotFile(ROOT, false)
  await madeOnce(snapshot, async () => (await openScratch(ROOT)).stop())
  mkdirSync(dirname(snapshotFile(root, false)), { recursive: true })
  cpSync(snapshot, snapshotFile(root, false))
  for (const name of COMMANDS)
    await madeOnce(join(ROOT, PACKED, `${name}.json`), async () => {
      // The command is packed before it is run, and then says that it does not know the word.
      await run('node', ['scripts/run.mjs', name, 'help'], { cwd: ROOT }).catch(() => undefined)
    })
  cpSync(join(ROOT, PACKED), join(root, PACKED), { recursive: true })
}

export interface TreeCopy {
  root: string
  /** The output of all commands so far. */
  said: string[]
  /** `command('resource', 'check')` is `npm run resource -- check`. @throws Error with what it printed */
  command: (...words: string[]) => Promise<string>
  read: (file: string) => string
  edit: (file: string, change: (text: string) => string) => void
  /**
   * The complaints of `resource check` and `schema --check`, warnings apart. Asked in this process, which has their code
   * loaded: each start of a command costs seconds.
   */
  problems: () => Promise<string[]>
  /** Applies the migrations that were written since the last time, as the owner of the schema does. */
  migrate: (backend: TestBackend) => Promise<void>
  remove: () => void
}

/** A copy of the project in which the commands run as a person runs them. */
export async function treeCopy(): Promise<TreeCopy> {
  const root = mkdtempSync(join(tmpdir(), 'konsol-copy-'))
  for (const name of COPIED)
    cpSync(join(ROOT, name), join(root, name), { recursive: true, filter: (path) => !path.includes('.temp') })
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'), 'junction')
  await copyKept(root)

  const migrations = () => readdirSync(join(root, MIGRATIONS)).sort()
  const applied = new WeakMap<TestBackend, Set<string>>()
  const first = migrations()
  const said: string[] = []
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  return {
    root,
    said,
    async command(...words) {
      const env = { ...process.env, DATA_DIR: join(root, 'no-data'), PORT: '0' }
      try {
        const { stdout } = await run('node', ['scripts/run.mjs', ...words], { cwd: root, env })
        said.push(stdout)
        return stdout
      } catch (error) {
        const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
        throw new Error(`${words.join(' ')}\n${stdout}\n${stderr}`)
      }
    },
    read,
    edit: (file, change) => writeFileSync(join(root, file), change(read(file))),
    async problems() {
      const found = checkTree(root, await migratedCatalog(root)).filter(({ isWarning }) => !isWarning)
      return [
        ...found.map(({ file, line, message }) => `${file}:${line}  ${message}`),
        ...(await differences(root)),
      ]
    },
    async migrate(backend) {
      const known = applied.get(backend) ?? new Set(first)
      applied.set(backend, known)
      const [held] = await backend.sql<{ owner: string }>(
        `select tableowner as owner from pg_tables where tablename = 'tickets'`,
      )
      for (const file of migrations().filter((name) => !known.has(name))) {
        known.add(file)
        const sql = read(`${MIGRATIONS}/${file}`)
        await backend.sql(
          `do $apply$ begin set local role ${held?.owner}; execute $text$${sql}$text$; end $apply$`,
        )
      }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
