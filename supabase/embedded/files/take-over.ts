import { existsSync, readdirSync } from 'node:fs'
import { copyFile, rename, rm, rmdir, stat, statfs } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Query } from '../database/database'
import { StorageFull } from './file-store'
import type { Files } from './files'

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

interface Found {
  id: string
  path: string
  size: string
}

/**
 * Moves the packages of a version before 0.3, which were files of `packages/` named by the id of their row, to the
 * storage of files. What the database does not know stays where it is.
 * @returns how many were moved, and how many stay
 * @throws StorageFull or StorageUnavailable; another call goes on with what is left
 */
export async function takeOverPackages(
  dataDir: string,
  files: Files,
  query: Query,
): Promise<{ moved: number; left: number }> {
  const folder = join(resolve(dataDir), 'packages')
  if (!existsSync(folder)) return { moved: 0, left: 0 }
  const names = readdirSync(folder)
  const found = await query<Found>(
    `select f.id, f.path, f.size::text as size from public.corporate_app_files v
     join public.files f on f.company_id = v.company_id and f.id = v.file_id
     where f.id::text = any ($1)`,
    [names.filter((name) => ID.test(name))],
  )
  for (const { id, path, size } of found) await move(files, join(folder, id), path, Number(size))
  // An upload that was under way when the server ended cannot go on.
  for (const name of names) if (name.endsWith('.part')) await rm(join(folder, name), { force: true })
  const left = readdirSync(folder).length
  // A link to another disk is the operator's.
  if (left === 0) await rmdir(folder).catch(() => undefined)
  return { moved: found.length, left }
}

async function move(files: Files, from: string, path: string, size: number): Promise<void> {
  if ((await stat(from)).size !== size) return
  const part = files.partOf(path)
  try {
    await rename(from, part)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    // The folder of packages is on another disk: the copy is whole before the original goes.
    const { bavail, bsize } = await statfs(files.partsFolder)
    if (bavail * bsize < size) throw new StorageFull(`There is no room for ${path} beside the database.`)
    await copyFile(from, part)
    await files.store.put(path, part, size)
    await rm(from, { force: true })
    return
  }
  try {
    await files.store.put(path, part, size)
  } catch (error) {
    await rename(part, from)
    throw error
  }
}
