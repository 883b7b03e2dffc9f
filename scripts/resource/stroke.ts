import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  type CommandJournal,
  commandFolder,
  hashOf,
  putFile,
  readJournal,
  readTextOrNull,
  removeJournal,
  settleFiles,
  writeJournal,
} from '../../supabase/embedded/command-journal'
import { NoAnswerError } from '../../supabase/embedded/control'
import { lockDirectory } from '../../supabase/embedded/data-dir'
import { StartError } from '../../supabase/embedded/start-error'

/** The journal stays, and the next command settles it. */
class UnfinishedError extends StartError {
  constructor(
    reason: string,
    remedy = 'The database may have the change already. Run the command again to complete it.',
  ) {
    super(`${reason}\n    ${remedy}`)
  }
}

function tellEdited(error: unknown, edited: readonly string[]): void {
  if (error instanceof Error) error.message = [error.message, ...edited].join('\n    ')
}

/**
 * Several files and a migration as one change. A journal on disk lets the next command settle one that was killed:
 * before the database was asked, the files go back; from then on they are completed, because a database with a
 * migration that the files lack does not start.
 */
export class Stroke {
  private readonly journal: CommandJournal = { before: {}, written: {}, after: null }
  /** Messages about files that somebody edited while the command ran. */
  private edited: string[] = []
  constructor(private readonly root: string) {}

  write(path: string, text: string): void {
    this.set(path, text)
  }

  remove(path: string): void {
    this.set(path, null)
  }

  /**
   * Applies the migrations written so far, then writes what `rest` writes: an open page must not see a definition before
   * its table. When the database refuses, nothing of `rest` was written.
   */
  async apply<T>(apply: () => Promise<T>, rest: () => void): Promise<T> {
    const { journal, root } = this
    journal.after = {}
    try {
      rest()
      writeJournal(root, journal)
      const applied = await apply()
      try {
        this.edited = settleFiles(root, journal.after, journal)
      } catch (error) {
        throw new UnfinishedError(`Not all files could be written: ${(error as Error).message}`)
      }
      return applied
    } catch (error) {
      // Not written, so there is nothing to take back.
      for (const path of Object.keys(journal.after)) delete journal.before[path]
      // Taken back, a migration that the database has would keep the server from starting.
      throw error instanceof NoAnswerError ? new UnfinishedError(error.message) : error
    } finally {
      journal.after = null
    }
  }

  /** For the person at the terminal. */
  told(): string[] {
    const { before } = this.journal
    const written = Object.keys(before).filter(
      (path) => readTextOrNull(join(this.root, path)) !== before[path],
    )
    return [
      ...written.map((path) => `${existsSync(join(this.root, path)) ? 'wrote' : 'removed'} ${path}`),
      ...this.edited,
    ]
  }

  /** Takes everything back, unless the error says that the database may have the change. */
  undo(error?: unknown): void {
    if (error instanceof UnfinishedError) return
    try {
      tellEdited(error, settleFiles(this.root, this.journal.before, this.journal))
    } catch (failure) {
      throw new UnfinishedError(
        `${(error as Error).message}\n    Not all files could be taken back: ${(failure as Error).message}`,
        'The next command takes them back.',
      )
    }
  }

  private set(path: string, text: string | null): void {
    const { before, written, after } = this.journal
    if (!(path in before)) before[path] = readTextOrNull(join(this.root, path))
    written[path] = [...(written[path] ?? []), hashOf(text)]
    if (after) after[path] = text
    else {
      writeJournal(this.root, this.journal)
      putFile(this.root, path, text)
    }
  }
}

function lock(root: string): () => void {
  try {
    return lockDirectory(commandFolder(root))
  } catch (error) {
    const pid = /in use by process (\d+)/.exec((error as Error).message)?.[1]
    throw pid
      ? new StartError(
          `Another command (process ${pid}) is changing this project. Run yours when it has ended.`,
        )
      : error
  }
}

/**
 * Runs a command that changes files: alone, and after settling what a killed one left.
 * @throws StartError while another one runs.
 */
export async function runAlone(
  root: string,
  {
    apply,
    say,
    command,
  }: { apply: () => Promise<unknown>; say: (line: string) => void; command: () => Promise<void> },
): Promise<void> {
  const release = lock(root)
  try {
    // A failure keeps the journal: the next command tries again.
    await settle(root, apply, say)
  } catch (error) {
    release()
    throw error
  }
  try {
    await command()
    // Whatever failed has been undone by its stroke, so only a killed command leaves its journal.
    removeJournal(root)
  } catch (error) {
    if (!(error instanceof UnfinishedError)) removeJournal(root)
    throw error
  } finally {
    release()
  }
}

async function settle(
  root: string,
  apply: () => Promise<unknown>,
  say: (line: string) => void,
): Promise<void> {
  const journal = readJournal(root)
  if (!journal) return
  const { before, after } = journal
  const files = Object.keys(before).join(', ')
  const edited = settleFiles(root, after ?? before, journal)
  if (after === null)
    say(`A command was interrupted before it changed the database. Its files are as they were: ${files}`)
  else {
    try {
      await apply()
    } catch (error) {
      if (error instanceof NoAnswerError) throw new UnfinishedError(error.message)
      tellEdited(error, settleFiles(root, before, journal))
      throw error
    }
    say(`A command was interrupted. It is completed now: ${files}`)
  }
  for (const line of edited) say(line)
  removeJournal(root)
}
