import type { Definition } from '@/resource/language/definition.generated'
import { type DefinitionProblem, parseEntry, type ResourceEntry } from '@/resource/language/entry'
import { inspectSource } from '@/resource/language/inspect/problems'
import type { StoredColumns } from '@/resource/language/inspect/stored'

export interface DefinitionFile {
  /** `resources/<name>.json` */
  file: string
  text: string
}

interface Candidate {
  entry: ResourceEntry
  text: string
}

/** The problems of one file beside the others as they are given. */
function inspectBeside(
  { entry, text }: Candidate,
  candidates: readonly Candidate[],
  others: ReadonlyMap<string, Definition | null>,
  stored?: StoredColumns,
): DefinitionProblem[] {
  return inspectSource(entry.file, text, {
    find: (name) => others.get(name) ?? null,
    names: [...others.keys()],
    broken: new Set([...others].flatMap(([name, definition]) => (definition ? [] : [name]))),
    files: candidates.map((each) => ({ ...each.entry, source: each.text })),
    stored,
  })
}

/**
 * The console's view of the files: each with its definition, or with the last version that had no error, and with
 * its errors. `lastGood` holds that version by file, `stored` the columns of the database, where one is known.
 */
export function compileDefinitions(
  files: readonly DefinitionFile[],
  lastGood: ReadonlyMap<string, Definition> = new Map(),
  stored?: StoredColumns,
): ResourceEntry[] {
  const candidates = files.map(
    ({ file, text }): Candidate => ({ entry: parseEntry(file, text), text: text.replace(/^\uFEFF/, '') }),
  )
  const kept = ({ entry }: Candidate) => lastGood.get(entry.file) ?? null
  const mapOf = (choose: (candidate: Candidate) => Definition | null) =>
    new Map(
      candidates.map((each) => {
        const definition = choose(each)
        return [definition?.name ?? each.entry.name, definition] as const
      }),
    )
  const written = mapOf((each) => each.entry.definition ?? kept(each))
  const problems = new Map(candidates.map((each) => [each, inspectBeside(each, candidates, written, stored)]))
  const replaced = new Set(candidates.filter((each) => problems.get(each)?.length))
  const shown = (each: Candidate) => (replaced.has(each) ? kept(each) : each.entry.definition)
  // A definition that is right only together with one that is replaced keeps its earlier version too.
  for (let before = 0; before !== replaced.size; ) {
    before = replaced.size
    const others = mapOf(shown)
    for (const each of candidates)
      if (!replaced.has(each) && kept(each) && inspectBeside(each, candidates, others).length > 0)
        replaced.add(each)
  }
  return candidates
    .map((each) => {
      const definition = shown(each)
      const { file, name } = each.entry
      return { name: definition?.name ?? name, file, definition, problems: problems.get(each) ?? [] }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}
