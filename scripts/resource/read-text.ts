import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJsonSource, SourceError } from '@/resource/language/json-source'
import { StartError } from '../../supabase/embedded/start-error'

/** A file as an editor shows it: Windows Notepad begins it with a byte order mark, which no parser expects. */
export const readText = (path: string): string => readFileSync(path, 'utf8').replace(/^\uFEFF/, '')

/** @throws StartError with the line, for a file that an admin edits. */
export function readJson(root: string, file: string): unknown {
  try {
    return structuredClone(parseJsonSource(readText(join(root, file))).value)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new StartError(`${file}:1  there is no such file\n    Take it back from version control.`)
    if (!(error instanceof SourceError)) throw error
    throw new StartError(`${file}:${error.line}  ${error.message}`)
  }
}
