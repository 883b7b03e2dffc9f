import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { nextFillName } from '../policies/migration'
import { type Difference, difference } from './diff'
import { schemaFiles } from './files'
import { follow } from './follow'
import type { SchemaObject } from './objects'
import { loadParser, type Problem, SchemaError, type SqlText, showProblem } from './parse'
import { isLines, readObjects } from './read'
import { renderMigration } from './render'

const FOLDER = 'supabase/migrations'
const SAME = 'The migrations make what the schemas say'

export function migrationFiles(root: string): SqlText[] {
  return readdirSync(join(root, FOLDER))
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ path: `${FOLDER}/${name}`, sql: readFileSync(join(root, FOLDER, name), 'utf8') }))
}

/** @throws SchemaError for a file that cannot be read */
export async function compare(root: string): Promise<Difference> {
  await loadParser()
  const wanted = readObjects(schemaFiles(root), 'schemas')
  return difference(wanted, readObjects(migrationFiles(root), 'migrations'))
}

/** The objects by which the schemas and the migrations differ, `file:line: object` each, permission lines apart. */
export async function differences(root: string): Promise<string[]> {
  const { problems, found } = await compare(root)
  return [
    ...found.map(({ file, line, identity }) => `${file}:${line}: ${identity}`),
    ...problems.map(showProblem),
  ]
}

const onlyMigrated = ({ file, line, identity }: SchemaObject, name: string): Problem => ({
  file,
  line,
  text: `${identity} is in no file of supabase/schemas. To keep it: npm run schema -- follow ${basename(file)}. To drop it: npm run schema -- diff ${name} --drop.`,
})

/** The path of the next migration, which sorts behind all others. */
function nextPath(root: string, name: string, now: Date): string {
  const stamp = nextFillName(readdirSync(join(root, FOLDER)), now).slice(0, 14)
  return join(FOLDER, `${stamp}_${name}.sql`)
}

type Say = (line: string) => void

async function told(say: Say, command: () => Promise<number>): Promise<number> {
  try {
    return await command()
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    say(error.message)
    return 1
  }
}

/**
 * Writes the next migration; with `isDrop`, one that also drops what no schema file has. Returns the exit code of the
 * command.
 */
export function writeDifference(
  root: string,
  { name, isDrop = false }: { name: string | undefined; isDrop?: boolean },
  say: Say,
  fail: Say,
): Promise<number> {
  return told(fail, async () => {
    if (!name || !/^[a-z][a-z0-9_]*$/.test(name)) {
      fail(
        'Give the migration a name of lower-case letters, digits and _: npm run schema -- diff add_printers',
      )
      return 2
    }
    const { statements, problems, gone } = await compare(root)
    const kept = isDrop ? [] : gone.map((object) => onlyMigrated(object, name))
    if (problems.length + kept.length > 0) {
      for (const problem of [...problems, ...kept]) fail(showProblem(problem))
      fail('Nothing was written.')
      return 1
    }
    if (statements.length === 0) {
      say(SAME)
      return 0
    }
    const path = nextPath(root, name, new Date())
    writeFileSync(join(root, path), renderMigration(name, statements), { flag: 'wx' })
    say(`Wrote ${path}: read it before you commit it`)
    return 0
  })
}

/**
 * Writes into the schemas what a migration written by hand does: the named one, or the newest. Returns the exit code of
 * the command.
 */
export function followMigration(
  root: string,
  name: string | undefined,
  say: Say,
  fail: Say,
): Promise<number> {
  return told(fail, async () => {
    const own = migrationFiles(root).filter((file) => !isLines(file))
    const migration = name ? own.find(({ path }) => basename(path) === basename(name)) : own.at(-1)
    if (!migration) {
      fail(`There is no migration ${name} in ${FOLDER}.`)
      return 1
    }
    const { files, problems } = await follow(root, [migration])
    for (const problem of problems) fail(problem)
    if (problems.length > 0) {
      fail('Nothing was written.')
      return 1
    }
    for (const [path, text] of files) {
      if (text === null) rmSync(join(root, path))
      else writeFileSync(join(root, path), text)
      say(`${text === null ? 'removed' : 'wrote'} ${path}`)
    }
    if (files.size === 0) say(`supabase/schemas has what ${migration.path} does`)
    return 0
  })
}

/** Returns the exit code of `--check`. */
export function checkDifference(root: string, say: Say, fail: Say): Promise<number> {
  return told(fail, async () => {
    const found = await differences(root)
    if (found.length === 0) {
      say(SAME)
      return 0
    }
    for (const line of found) fail(line)
    fail('The migrations do not make what the schemas say. Run: npm run schema -- diff <name>')
    return 1
  })
}
