import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { READ_VERBS } from '@/access/policy'
import { commentsOf } from '@/resource/language/comments'
import type { Definition } from '@/resource/language/definition.generated'
import { parseLines } from './policies/lines'
import { readText } from './resource/read-text'

/** The permissions of a new resource; design: Admin everything in the company, Teknik all but deleting. */
const STARTING_VERBS = {
  Admin: ['list', 'show', 'create', 'edit', 'delete', 'import', 'export'],
  Teknik: ['list', 'show', 'create', 'edit', 'export'],
} as const

interface Wanted {
  /** Closed to companies without a Pro license. */
  needsPro?: boolean
  /** A platform resource: only a Super Admin writes it, and that line exists already. */
  isPlatform?: boolean
  /** A view, or a table that nobody writes by the API: it gets no lines that would allow nothing. */
  isReadOnly?: boolean
  /** Writes a file, relative to `root`. */
  write?: (file: string, text: string) => void
}

/**
 * Appends the starting lines of a new resource to admin.csv and teknik.csv (and without-pro.csv) and gives the files
 * it changed, relative to `root`. A file that already speaks of the resource is left alone. Run `npm run policies`
 * after.
 */
export function addResourcePolicies(root: string, resource: string, wanted: Wanted = {}): string[] {
  const changed: string[] = []
  const { write = (file, text) => writeFileSync(join(root, file), text) } = wanted
  const append = (file: string, lines: readonly string[], gap: string) => {
    const path = join(root, 'policies', file)
    // Every role but two may have been removed.
    if (!existsSync(path)) return
    const text = readText(path)
    if (parseLines(file, text).some(({ cells }) => cells[2] === resource)) return
    write(`policies/${file}`, `${text.trimEnd()}${gap}${lines.map((line) => `${line}\n`).join('')}`)
    changed.push(`policies/${file}`)
  }
  for (const [role, verbs] of Object.entries(STARTING_VERBS)) {
    const reads: readonly string[] = wanted.isPlatform ? READ_VERBS : [...READ_VERBS, 'export']
    const given = verbs.filter((verb) => !(wanted.isPlatform || wanted.isReadOnly) || reads.includes(verb))
    append(
      `${role.toLowerCase()}.csv`,
      given.map((verb) => `p, ${role}, ${resource}, ${verb}, allow`),
      '\n\n',
    )
  }
  if (wanted.needsPro) append('without-pro.csv', [`p, without-pro, ${resource}, *, deny`], '\n')
  return changed
}

/**
 * The lines of the comments of a resource, behind its other lines in admin.csv and teknik.csv: the verb `comment`, and the
 * object of each kind with lines of its own. A file that already says them is left alone; gives the files it changed.
 */
export function addCommentPolicies(
  root: string,
  definition: Definition,
  write: (file: string, text: string) => void = (file, text) => writeFileSync(join(root, file), text),
): string[] {
  const comments = commentsOf(definition)
  if (!comments) return []
  const objects = Object.values(comments.kinds).flatMap(({ object }) => object ?? [])
  const wanted: [object: string, verb: string][] = [
    [definition.name, 'comment'],
    ...objects.flatMap((object): [string, string][] => [
      [object, 'list'],
      [object, 'create'],
    ]),
  ]
  return Object.keys(STARTING_VERBS).flatMap((role) => {
    const file = `policies/${role.toLowerCase()}.csv`
    if (!existsSync(join(root, file))) return []
    const text = readText(join(root, file))
    const lines = parseLines(file, text)
    const isSaid = ([object, verb]: [string, string]) =>
      lines.some(({ cells }) => cells[2] === object && (cells[3] === verb || cells[3] === '*'))
    const own = lines.filter(({ cells }) => cells[2] === definition.name)
    const missing = wanted.filter((each) => !isSaid(each))
    const last = own.at(-1)
    // A role that does not have the resource is given no comments on it.
    if (missing.length === 0 || !last) return []
    const all = text.split('\n')
    all.splice(last.line, 0, ...missing.map(([object, verb]) => `p, ${role}, ${object}, ${verb}, allow`))
    write(file, all.join('\n'))
    return [file]
  })
}

/** Takes the lines of comments out of every role: the verb `comment` of the resource, and the objects of its kinds. */
export function removeCommentPolicies(
  root: string,
  resource: string,
  objects: readonly string[],
  write: (file: string, text: string) => void,
): string[] {
  return readdirSync(join(root, 'policies'))
    .filter((name) => name.endsWith('.csv'))
    .flatMap((name) => {
      const file = `policies/${name}`
      const text = readText(join(root, file))
      const gone = new Set(
        parseLines(file, text)
          .filter(
            ({ cells }) =>
              objects.includes(cells[2] ?? '') || (cells[2] === resource && cells[3] === 'comment'),
          )
          .map(({ line }) => line),
      )
      if (gone.size === 0) return []
      write(
        file,
        text
          .split('\n')
          .filter((_line, at) => !gone.has(at + 1))
          .join('\n'),
      )
      return [file]
    })
}
