import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartError } from './start-error'

/** The next version of a file while it is written; a kill can leave it behind. */
export const draftOf = (file: string): string => `${file}.new`

/**
 * Replaces a file as a whole: a kill or a full disk leaves the previous version.
 * @param draft a name of its own where several processes may write the same file
 * @throws StartError when the disk is full.
 */
export function replaceFile(
  file: string,
  content: string | Uint8Array,
  { mode, draft = draftOf(file) }: { mode?: number; draft?: string } = {},
): void {
  try {
    mkdirSync(dirname(file), { recursive: true })
    rmSync(draft, { force: true })
    writeFileSync(draft, content, { flag: 'wx', ...(mode === undefined ? {} : { mode }) })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw explainFull(error, file)
  }
}

/** A full disk as a sentence; any other error as it is. */
export function explainFull(error: unknown, file?: string): unknown {
  const { code, message, path } = error as NodeJS.ErrnoException
  const isFull = code === 'ENOSPC' || code === 'EDQUOT' || /no space left on device/i.test(message ?? '')
  if (!isFull) return error
  const what = file ?? path
  return new StartError(
    `The disk is full${what ? `: ${what} could not be written` : ''}.\n    Free some space, then run this again.`,
  )
}
