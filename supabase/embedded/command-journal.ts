import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { holderPid } from './data-dir'
import { draftOf, replaceFile } from './replace-file'
import { StartError } from './start-error'

/** Texts by path from the root; null for no file. */
export type Contents = Record<string, string | null>

/** The changes that a killed `resource` command leaves to be undone or completed. */
export interface CommandJournal {
  /** The files before the command. */
  before: Contents
  /** Hashes of what the command writes there: anything else was written by somebody else. */
  written: Record<string, string[]>
  /** Set before the database is asked: the files that are written after it answered. */
  after: Contents | null
}

const FOLDER = 'supabase/.temp/resource-command'

/** Holds the journal, and the lock of the running command. */
export const commandFolder = (root: string): string => join(root, FOLDER)

const journalOf = (root: string) => join(commandFolder(root), 'journal.json')

export function readTextOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

/** Null if no command was interrupted. */
export function readJournal(root: string): CommandJournal | null {
  try {
    return JSON.parse(readFileSync(journalOf(root), 'utf8')) as CommandJournal
  } catch {
    return null
  }
}

/** Whether a command was killed that nothing has settled yet. */
export const isInterrupted = (root: string): boolean =>
  readJournal(root) !== null && holderPid(commandFolder(root)) === null

export const writeJournal = (root: string, journal: CommandJournal): void =>
  replaceFile(journalOf(root), JSON.stringify(journal))

export const removeJournal = (root: string): void => rmSync(journalOf(root), { force: true })

export const hashOf = (text: string | null): string =>
  text === null ? 'no file' : createHash('sha256').update(text).digest('base64url')

export function putFile(root: string, path: string, text: string | null): void {
  const file = join(root, path)
  if (text === null) rmSync(file, { force: true })
  else replaceFile(file, text)
}

/**
 * Undoes or completes the files of a command. A file that somebody edited since stays as it is.
 * @returns what to say about those.
 */
export function settleFiles(root: string, wanted: Contents, { before, written }: CommandJournal): string[] {
  return Object.entries(wanted).flatMap(([path, text]) => {
    const file = join(root, path)
    rmSync(draftOf(file), { force: true })
    const found = readTextOrNull(file)
    if (found === text) return []
    if (found === before[path] || written[path]?.includes(hashOf(found))) {
      putFile(root, path, text)
      return []
    }
    const kept = `${path} was edited since, and stays as it is.`
    if (text === null) return [`${kept} Delete it if it is not needed, then run: npm run resource check`]
    const aside = `${FOLDER}/${path}`
    putFile(root, aside, text)
    return [`${kept} Take over what it lacks from ${aside}, then run: npm run resource check`]
  })
}

/**
 * Before a server applies migrations: an unfinished one of a killed command must not reach the database, because the
 * next command would remove its file.
 * @returns what to call once the migrations are applied, or refused; null if nothing is left to do.
 * @throws StartError while a command runs.
 */
export function settleBeforeStart(
  root: string,
  log: (line: string) => void,
): { applied: () => void; refused: () => void } | null {
  const journal = readJournal(root)
  if (!journal) return null
  const pid = holderPid(commandFolder(root))
  if (pid !== null)
    throw new StartError(
      `A command (process ${pid}) is changing this project. Start the console when it has ended.`,
    )
  const files = Object.keys(journal.before).join(', ')
  const end = (wanted: Contents, text: string) => {
    const edited = settleFiles(root, wanted, journal)
    removeJournal(root)
    for (const line of [`${text}: ${files}`, ...edited]) log(line)
  }
  const { before, after } = journal
  if (after === null) {
    end(before, 'An interrupted command was undone')
    return null
  }
  settleFiles(root, after, journal)
  return {
    applied: () => end(after, 'An interrupted command was completed'),
    refused: () =>
      end(
        before,
        'An interrupted command was undone, because the database refused its migration. Start again',
      ),
  }
}
