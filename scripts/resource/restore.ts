import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LANGUAGES } from '@/i18n/language'
import { StartError } from '../../supabase/embedded/start-error'
import { definitionText } from './definition-text'
import { tryOut } from './new'
import { readJson } from './read-text'
import { applyToRunning, refreshRunning, tellApplied } from './running'
import { openScratch } from './scratch'
import { Stroke } from './stroke'
import { changePolicies, definitionsOf, readDefinitions, writeFill, writeMigration, writeTypes } from './tree'
import { readWords, writeWords } from './word-files'

/** The parts of a removed resource, kept so that `restore` can give them back. */
export interface Removed {
  definition: Record<string, unknown>
  words: Record<'en' | 'tr', unknown>
  /** Permission lines by file of `policies/`. */
  lines: Record<string, string[]>
  /** Statements that open its tables to the API. */
  access: string[]
}

export const removedFile = (name: string) => `resources/removed/${name}.json`

export function readRemoved(root: string, name: string): Removed | null {
  const file = removedFile(name)
  return existsSync(join(root, file)) ? (readJson(root, file) as Removed) : null
}

/** @throws StartError for a resource whose table is still there, with its data. */
export function refuseRemoved(root: string, name: string): void {
  if (readRemoved(root, name))
    throw new StartError(
      `\`${name}\` was removed from the console, and its table is still there with its data.\n    \`npm run resource restore ${name}\` takes it back; \`npm run resource remove ${name} -- --drop\` deletes the data.`,
    )
}

/** Takes a removed resource back as it was: definition, texts, permission lines and access. */
export async function restoreResource(
  root: string,
  { name, keep }: { name: string; keep?: boolean },
  say: (line: string) => void,
): Promise<void> {
  const removed = readRemoved(root, name)
  if (!removed)
    throw new StartError(`There is no ${removedFile(name)}: \`${name}\` was not removed, or with its data.`)
  if (definitionsOf(readDefinitions(root)).some((each) => each.name === name))
    throw new StartError(
      `There is a resource \`${name}\` again: resources/${name}.json. Nothing was restored.`,
    )
  const texts = readWords(root)
  const scratch = await openScratch(root)
  try {
    const sql = `-- Takes ${name} back: the API serves its rows again.\n\n${removed.access.join('\n')}\n`
    await tryOut(scratch, sql)
    const words = structuredClone(texts)
    for (const language of LANGUAGES) words[language][name] ??= removed.words[language]
    const stroke = new Stroke(root)
    let [applied, byHand]: [string[] | null, string[]] = [null, []]
    try {
      const now = new Date()
      if (removed.access.length > 0)
        byHand = await writeMigration(root, stroke, { name: `restore_${name}`, sql, now })
      changePolicies(root, stroke, (csv, file) => {
        const lines = removed.lines[file]
        return lines ? `${csv.trimEnd()}\n\n${lines.join('\n')}\n` : csv
      })
      writeFill(root, stroke, now)
      await writeTypes(root, stroke, scratch.query)
      applied = await stroke.apply(
        async () => (keep ? null : applyToRunning()),
        () => {
          writeWords(stroke, texts, words)
          stroke.remove(removedFile(name))
          stroke.write(`resources/${name}.json`, definitionText(removed.definition))
        },
      )
    } catch (error) {
      stroke.undo(error)
      throw error
    }
    for (const line of [...stroke.told(), ...byHand]) say(line)
    if (keep) say('The running console was left as it is (--keep).')
    else say(tellApplied(applied, await refreshRunning()))
  } finally {
    await scratch.stop()
  }
}
