import { chmodSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { lockDirectory } from './data-dir'
import { StartError } from './start-error'

const FOLDER = 0o700
const FILE = 0o600
const PRIVATE_UMASK = 0o077

/**
 * The entries of a data directory that are ours, with the copies that were moved aside. Nothing else below it is
 * touched: a DATA_DIR that somebody points at a folder with other contents must not change the modes of those.
 */
const OWN =
  /^(?:(?:pgdata|files|packages|keys\.json|definitions\.json|control\.json|lock|ready|starting)(?:\..+)?|konsol-.+\.zip(?:\.part)?)$/

/** Names in the data directory that an operator may link to another disk. */
const LINKED = new Set(['pgdata', 'files', 'packages'])

/** Windows has no such modes: the folder's access list decides there. */
const hasModes = process.getuid !== undefined

const permissions = (stats: Stats) => stats.mode & 0o777

function ownedByUs(path: string, { uid }: Stats): void {
  if (uid !== process.getuid?.())
    throw new StartError(
      `${path} belongs to another account of this machine (user id ${uid}). Start the console as its owner, or run: ` +
        `chown -R ${process.getuid?.()} ${path}`,
    )
}

/**
 * Gives one file or folder its mode, and asks the disk whether it kept it.
 * @throws StartError where the file system keeps no modes, or the mode may not be set.
 */
export function makePrivate(path: string, stats: Stats = statSync(path)): void {
  if (!hasModes) return
  const mode = stats.isDirectory() ? FOLDER : FILE
  if (permissions(stats) === mode) return
  let reason = 'the file system does not keep it'
  try {
    chmodSync(path, mode)
    if (permissions(statSync(path)) === mode) return
  } catch (error) {
    reason = (error as Error).message
  }
  throw new StartError(
    `${path} is open to other accounts of this machine, and its mode cannot be set to ${mode.toString(8)}: ${reason}. ` +
      'Choose a folder of your own on a local disk.',
  )
}

/** A link below the first level is left alone: it could lead anywhere. */
function makeTreePrivate(path: string, stats: Stats): void {
  if (stats.isSymbolicLink() || !(stats.isDirectory() || stats.isFile())) return
  // The owner of the folder could replace a checked entry with a link.
  ownedByUs(path, stats)
  makePrivate(path, stats)
  if (!stats.isDirectory()) return
  for (const name of readdirSync(path)) {
    const child = join(path, name)
    const found = lstatSync(child, { throwIfNoEntry: false })
    if (found) makeTreePrivate(child, found)
  }
}

/**
 * Takes a data directory away from the other accounts of the machine, at each start and restore: folders 0700, files
 * 0600. A folder that existed before, or a copy that somebody unpacked, has whatever mode it was made with.
 * @throws StartError when it belongs to somebody else, is shared, or its modes cannot be set.
 */
export function secureDirectory(path: string): void {
  if (!hasModes) return
  const directory = realpathSync(resolve(path))
  const stats = statSync(directory)
  ownedByUs(directory, stats)
  if ((stats.mode & 0o1000) !== 0)
    throw new StartError(
      `${directory} is a folder that several accounts share (sticky bit). Set DATA_DIR to a folder of your own.`,
    )
  makePrivate(directory, stats)
  for (const name of readdirSync(directory)) {
    if (!OWN.test(name)) continue
    const path = join(directory, name)
    const entry = lstatSync(path, { throwIfNoEntry: false })
    if (!entry) continue
    if (!entry.isSymbolicLink()) {
      makeTreePrivate(path, entry)
      continue
    }
    // While the folder was open to others, they may have put links there. An operator may have made one as root.
    if (entry.uid !== 0) ownedByUs(path, entry)
    const target = LINKED.has(name) ? statSync(path, { throwIfNoEntry: false }) : undefined
    if (target) makeTreePrivate(realpathSync(path), target)
  }
}

let holders = 0
let umaskBefore = 0

/** Files that a library or a child process makes are private too. @returns restores the previous mask. */
function keepFilesPrivate(): () => void {
  if (holders++ === 0) umaskBefore = process.umask(PRIVATE_UMASK)
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    if (--holders === 0) process.umask(umaskBefore)
  }
}

/**
 * Locks a data directory and takes it away from the other accounts of the machine.
 * @returns releases the lock.
 * @throws StartError as `lockDirectory` and `secureDirectory` do.
 */
export function openDataDirectory(path: string): () => void {
  const restoreUmask = keepFilesPrivate()
  let unlock: (() => void) | undefined
  try {
    const found = statSync(resolve(path), { throwIfNoEntry: false })
    if (found && hasModes) ownedByUs(resolve(path), found)
    unlock = lockDirectory(path)
    secureDirectory(path)
  } catch (error) {
    unlock?.()
    restoreUmask()
    throw error
  }
  const release = unlock
  return () => {
    release()
    restoreUmask()
  }
}
