import { readFileSync, watch } from 'node:fs'
import { type DefinitionProblem, parseEntry } from '@/resource/language/entry'
import type { DefinitionFile } from '@/resource/language/inspect/compile'
import type { StoredColumns } from '@/resource/language/inspect/stored'
import { replaceFile } from '../replace-file'
import { definitionFolder, fingerprint, readFiles, wordFolders } from './files'
import { goodOf, isWordFile, type LastGood, type Published, publish } from './publish'

/** An editor that saves in two steps has finished by then. */
const SETTLE_MS = 300
/** For file systems that tell of no change. */
const POLL_MS = 4000
/** A file that is missing for less is being replaced. */
const GONE_MS = 1000
/** Changes are read after this time at the latest, also while files are being saved. */
const MAX_WAIT_MS = 2000

export interface DefinitionStore {
  current: () => Published
  /** Reads the files at once. */
  refresh: () => Promise<void>
  close: () => void
}

interface StoreOptions {
  root: string
  /** Keeps the last version of each file without an error over a restart; null keeps it in memory alone. */
  keepIn: string | null
  log: (line: string) => void
  onChange: () => void
  /** Reads the columns of the database: a definition that needs more waits for its migration. */
  readColumns: () => Promise<StoredColumns>
}

const show = ({ file, line, message, hint }: DefinitionProblem) =>
  `${file}:${line}  ${message}${hint ? `  ${hint}` : ''}`

const listed = (columns: StoredColumns = new Map()): string =>
  [...columns].flatMap(([table, names]) => [...names].map((name) => `${table}.${name}`)).join()

function readKept(path: string | null): DefinitionFile[] {
  try {
    const kept: unknown = path === null ? {} : JSON.parse(readFileSync(path, 'utf8'))
    return Object.entries(kept as object).flatMap(([file, text]) =>
      typeof text === 'string' ? [{ file, text }] : [],
    )
  } catch {
    // A first start, or a damaged file: the definitions themselves are in `resources/`.
    return []
  }
}

/** Holds the definitions and texts as the console shows them, and follows their files. */
export async function openDefinitions(options: StoreOptions): Promise<DefinitionStore> {
  const { root, keepIn, log, onChange } = options
  /** The last text of each file without an error. */
  const good = new Map(readKept(keepIn).map(({ file, text }) => [file, text]))
  let lastGood: LastGood = { definitions: new Map(), words: new Map() }
  const judge = () => {
    lastGood = goodOf([...good].map(([file, text]) => ({ file, text })))
  }
  let files: DefinitionFile[] = []
  let stored: StoredColumns | undefined
  let published = publish([])
  let seen = fingerprint(root)
  const missingSince = new Map<string, number>()

  const keep = () => {
    if (keepIn === null) return
    const names = new Set(files.map(({ file }) => file))
    const kept = Object.fromEntries([...good].filter(([file]) => names.has(file)))
    try {
      replaceFile(keepIn, JSON.stringify(kept), { mode: 0o600 })
    } catch (error) {
      log(`The last correct definitions were not saved: ${(error as Error).message}`)
    }
  }

  const report = (before: Published, now: Published) => {
    const told = new Set(before.problems.map(show))
    const lost = new Set(now.entries.flatMap(({ file, definition }) => (definition ? [] : [file])))
    const effectOf = ({ file }: DefinitionProblem) => {
      if (lost.has(file)) return 'Its page shows this error.'
      return isWordFile({ file }) && !good.has(file)
        ? 'Until it is correct, the console shows names instead of these texts.'
        : 'The console keeps its last correct version.'
    }
    for (const problem of now.problems)
      if (!told.has(show(problem))) log(`${show(problem)}  ${effectOf(problem)}`)
    const wrong = new Set(now.problems.map(({ file }) => file))
    for (const file of new Set(before.problems.map((problem) => problem.file)))
      if (!wrong.has(file)) log(`${file} has no error any more.`)
  }

  const take = (found: DefinitionFile[]) => {
    files = found
    const before = published
    published = publish(files, lastGood, stored)
    const wrong = new Set(published.problems.map(({ file }) => file))
    const shown = new Map(published.entries.map((entry) => [entry.file, entry.definition]))
    // A definition without an error can still be held back, as long as one that it refers to is.
    const isHeldBack = ({ file, text }: DefinitionFile) =>
      shown.has(file) && JSON.stringify(shown.get(file)) !== JSON.stringify(parseEntry(file, text).definition)
    const changed = files.filter(
      (each) => !wrong.has(each.file) && good.get(each.file) !== each.text && !isHeldBack(each),
    )
    for (const { file, text } of changed) good.set(file, text)
    if (changed.length > 0) judge()
    report(before, published)
    const isChanged = JSON.stringify(before.versions) !== JSON.stringify(published.versions)
    if (isChanged) keep()
    return isChanged
  }

  let timer: NodeJS.Timeout | undefined
  /** When the oldest change was noticed that was not read yet. */
  let waitingSince: number | null = null
  const readLater = (ms: number) => {
    waitingSince ??= Date.now()
    clearTimeout(timer)
    // A program that saves all the time must not delay the reading forever.
    timer = setTimeout(read, Math.min(ms, Math.max(0, waitingSince + MAX_WAIT_MS - Date.now())))
    timer.unref()
  }

  /** A file that was there a moment ago: deleting and writing it anew is how some editors save, and commands rename. */
  function isOneReplaced(found: DefinitionFile[], now: number): boolean {
    const there = new Set(found.map(({ file }) => file))
    for (const file of there) missingSince.delete(file)
    return files.some(({ file }) => {
      if (there.has(file)) return false
      const since = missingSince.get(file) ?? now
      missingSince.set(file, since)
      return now - since < GONE_MS
    })
  }

  /** @returns whether the database has other columns than before. */
  async function readColumns(): Promise<boolean> {
    const before = stored
    try {
      stored = await options.readColumns()
    } catch (error) {
      log(`The columns of the database could not be read: ${(error as Error).message}`)
    }
    return listed(before) !== listed(stored)
  }

  /** Simultaneous reads follow one another. */
  let reading = Promise.resolve()
  const afterOthers = (read: () => Promise<void>) => {
    reading = reading.then(read).catch((error: unknown) => {
      log(`The definitions could not be read: ${(error as Error).message}`)
    })
    return reading
  }

  async function readSettled(isOverdue: boolean): Promise<void> {
    await readColumns()
    const before = fingerprint(root)
    const found = readFiles(root)
    // Written to while it was read.
    if (!isOverdue && fingerprint(root) !== before) {
      readLater(SETTLE_MS)
      return
    }
    if (isOneReplaced(found, Date.now())) {
      readLater(GONE_MS)
      return
    }
    seen = before
    if (take(found)) onChange()
  }

  function read(): void {
    const isOverdue = waitingSince !== null && Date.now() - waitingSince >= MAX_WAIT_MS
    waitingSince = null
    void afterOthers(() => readSettled(isOverdue))
  }

  // No content of a file may prevent the start of the server.
  await afterOthers(async () => {
    judge()
    await readColumns()
    take(readFiles(root))
  })
  const watchers = [definitionFolder(root), ...wordFolders(root)].flatMap((folder) => {
    try {
      return [watch(folder, { persistent: false }, () => readLater(SETTLE_MS)).on('error', () => undefined)]
    } catch {
      // The poll finds the change.
      return []
    }
  })
  const poll = setInterval(async () => {
    // A missing column can be added while no file changes.
    const isWaiting = published.problems.length > 0 && (await readColumns())
    if (isWaiting || fingerprint(root) !== seen) readLater(SETTLE_MS)
  }, POLL_MS)
  poll.unref()

  return {
    current: () => published,
    refresh: () => {
      clearTimeout(timer)
      return afterOthers(async () => {
        await readColumns()
        seen = fingerprint(root)
        // A command that removed a file is finished.
        if (take(readFiles(root))) onChange()
      })
    },
    close: () => {
      clearTimeout(timer)
      clearInterval(poll)
      for (const watcher of watchers) watcher.close()
    },
  }
}
