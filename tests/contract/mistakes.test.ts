import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import type { DefinitionProblem } from '@/resource/language/entry'
import { checkResources } from '../../scripts/resource/check'
import { openScratch, type Scratch } from '../../scripts/resource/scratch'
import type { Catalog } from '../../supabase/embedded/catalog'
import { StartError } from '../../supabase/embedded/start-error'
import { MISTAKES, RIGHT } from './mistakes/all'
import type { Change, Mistake } from './mistakes/mistake'
import { plantTree, type Tree } from './mistakes/tree'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** A mistake may be seen from two sides; more is noise that hides it. */
const MAX_FINDINGS = 3
const REMEDY =
  /\b(add|allowed|begins with|belongs|choose|delete|did you mean|drop|expected|give|have to|lacks|leave|must|only|put|remove|rename|replace|run|save|say|set|should|use|write)\b/i

const PRINTERS = 'resources/printers.json'

/** Writes what was found to the file that an environment variable names. */
function report(variable: 'ALARMS' | 'MISSES', found: unknown): void {
  const path = process.env[variable]
  if (path) writeFileSync(path, JSON.stringify(found, null, 2))
}

const listed = (value: string | readonly string[]): readonly string[] => [value].flat()
const shown = (problems: readonly DefinitionProblem[]) =>
  problems.map(({ file, line, message, hint }) => `${file}:${line}  ${message}${hint ? ` | ${hint}` : ''}`)

/** The line of a place given as `"fields" > "cost"`. @throws when the text is not there. */
function lineOf(text: string, place: string): number {
  const lines = text.split('\n')
  const steps = place === '' ? [] : place.split(' > ')
  const found = steps.reduce((from, step) => {
    const line =
      step === '<end>'
        ? lines.length - 1
        : lines.findIndex((each, index) => index >= from && each.includes(step))
    if (line < 0) throw new Error(`\`${place}\` is not in the file`)
    return line
  }, 0)
  return found + 1
}

/** A regular expression tells an admin nothing. */
function hasRemedy({ message, hint }: DefinitionProblem): boolean {
  return hint ? !hint.startsWith('It must match ^') : REMEDY.test(message)
}

/** The defects of the report of a mistake; empty if it is correct. */
function complaints(mistake: Mistake, problems: readonly DefinitionProblem[], text: string | null): string[] {
  if (problems.length === 0) return ['not found']
  if (problems[0]?.file === 'crashed') return ['the linter crashed']
  const file = mistake.in ?? PRINTERS
  const causes = listed(mistake.about).map((word) => word.toLocaleLowerCase('en'))
  const about = problems.filter(({ message, hint }) =>
    causes.some((cause) => `${message} ${hint ?? ''}`.toLocaleLowerCase('en').includes(cause)),
  )
  if (about.length === 0) return [`no message names ${causes.join(' or ')}`]
  const inFile = about.filter((problem) => problem.file === file)
  if (inFile.length === 0) return [`not reported in ${file}`]
  const lines = text === null ? [1] : listed(mistake.at).map((place) => lineOf(text, place))
  const inLine = inFile.filter(({ line }) => lines.includes(line))
  const found = inLine.length > 0 ? inLine : inFile
  return [
    ...(inLine.length > 0
      ? []
      : [`reported at line ${found.map(({ line }) => line).join()}, not ${lines.join(' or ')}`]),
    ...(found.some(hasRemedy) ? [] : ['no remedy']),
    ...(problems.length > MAX_FINDINGS ? [`${problems.length} findings`] : []),
  ]
}

/** A file that cannot be read ends the check; its place and cause are in the message. */
function findings(tree: string, catalog: Catalog): DefinitionProblem[] {
  try {
    return checkResources(tree, catalog)
  } catch (error) {
    const [, file = '', line = '', message = ''] =
      (error instanceof StartError && /^(\S+?):(\d+)\s+([\s\S]*)$/.exec(error.message)) || []
    if (file === '') return [{ file: 'crashed', line: 0, message: String(error) }]
    return [{ file, line: Number(line), message }]
  }
}

describe('the linter', () => {
  let tree: Tree
  let scratch: Scratch

  beforeAll(async () => {
    tree = plantTree(RIGHT.flatMap(({ definition }) => (definition as Definition | undefined) ?? []))
    scratch = await openScratch(root)
    await scratch.run(tree.sql)
    scratch.catalog = await scratch.read()
  })
  afterAll(async () => {
    await scratch?.stop()
    tree?.remove()
  })

  async function catalogWith(sql: Change['sql']) {
    if (!sql) return scratch.catalog
    await scratch.run(sql[0])
    const catalog = await scratch.read()
    await scratch.run(sql[1])
    return catalog
  }

  function checkWith(files: ReadonlyMap<string, string | null>, catalog: Catalog): DefinitionProblem[] {
    const before = new Map([...files.keys()].map((file) => [file, tree.readIfThere(file)]))
    tree.write(files)
    try {
      return findings(tree.root, catalog)
    } finally {
      tree.write(before)
    }
  }

  it('finds nothing wrong with definitions that look odd and are right', async () => {
    expect(shown(findings(tree.root, scratch.catalog)), 'the base').toEqual([])
    const alarms = new Map<string, string[]>()
    const found = checkWith(tree.withAdded, scratch.catalog)
    for (const { what, definition } of RIGHT) {
      const own = found.filter(({ file }) => file === `resources/${definition?.name}.json`)
      if (own.length > 0) alarms.set(what, shown(own))
    }
    const others = found.filter(
      ({ file }) => !RIGHT.some(({ definition }) => file === `resources/${definition?.name}.json`),
    )
    expect(shown(others), 'beside the definitions').toEqual([])
    for (const right of RIGHT.filter(({ definition }) => !definition)) {
      const problems = checkWith(tree.changed(right), await catalogWith(right.sql))
      if (problems.length > 0) alarms.set(right.what, shown(problems))
    }
    report('ALARMS', Object.fromEntries(alarms))
    expect(new Set(RIGHT.map(({ what }) => what)).size, 'an entry twice').toBe(RIGHT.length)
    expect([...alarms], 'false alarms').toEqual([])
  })

  it('finds every mistake: file, line, cause and remedy', async () => {
    const misses: { sort: string; what: string; complaints: string[]; reported: string[] }[] = []
    for (const mistake of MISTAKES) {
      const files = tree.changed(mistake)
      const problems = checkWith(files, await catalogWith(mistake.sql))
      const file = mistake.in ?? PRINTERS
      const found = complaints(mistake, problems, files.get(file) ?? tree.readIfThere(file))
      if (found.length > 0)
        misses.push({ sort: mistake.sort, what: mistake.what, complaints: found, reported: shown(problems) })
    }
    report('MISSES', misses)
    const key = ({ sort, what }: { sort: string; what: string }) => `${sort}: ${what}`
    expect(new Set(MISTAKES.map(key)).size, 'an entry twice').toBe(MISTAKES.length)
    expect(misses, 'missed').toEqual([])
  })
})
