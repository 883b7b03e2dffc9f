import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { READ_VERBS } from '@/access/policy'
import { commentsOf } from '@/resource/language/comments'
import { readPages } from '../resource/pages'
import { readText } from '../resource/read-text'

/** The words a policy line may use. */
export interface Vocabulary {
  objects: Set<string>
  verbs: Set<string>
  /** The objects of a verb that only some have, such as that of an action. */
  owners: ReadonlyMap<string, ReadonlySet<string>>
  /** The row rules of each resource that names some. */
  rules: ReadonlyMap<string, ReadonlySet<string>>
}

/** In a deny: every verb that is not one of READ_VERBS. */
export const WRITE = 'write'

/** Verbs of every resource, and those of actions that are defined in the database only. */
const VERBS = [
  ...READ_VERBS,
  'create',
  'edit',
  'delete',
  'import',
  'run',
  'cancel',
  'approve',
  'assign',
  'invite',
  'share',
  'comment',
] as const

/** Objects with neither a table nor a hand-written page of their own. */
export const SCREENS = ['agents', 'company-management', 'license-costs'] as const

const RELATION =
  /\bcreate\s+(?:or\s+replace\s+)?(?:unlogged\s+)?(?:table|view|materialized\s+view)\s+(?:if\s+not\s+exists\s+)?(?:(\w+)\.)?(\w+)/gi

/** Tables and views that migrations make in schema public. */
export function publicRelations(sql: string): string[] {
  const code = sql.replace(/--.*$/gm, '').replace(/'(?:[^']|'')*'/g, "''")
  return [...code.matchAll(RELATION)]
    .filter(([, schema]) => schema === undefined || schema === 'public')
    .map(([, , name]) => name ?? '')
}

interface Definition {
  name?: unknown
  actions?: Record<string, unknown>
  comments?: unknown
  rules?: Record<string, unknown>
}

/** The objects of the kinds of comment that have lines of their own. */
const kindObjects = (definition: Definition): string[] =>
  Object.values(commentsOf(definition as never)?.kinds ?? {}).flatMap(({ object }) => object ?? [])

function readDefinitions(root: string): Definition[] {
  const folder = join(root, 'resources')
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json') && !file.endsWith('.schema.json'))
    .flatMap((file) => {
      try {
        return [JSON.parse(readText(join(folder, file))) as Definition]
      } catch {
        // A definition that does not parse is `npm run resource check`'s to report, with its place.
        return []
      }
    })
}

export function readMigrations(root: string): { file: string; sql: string }[] {
  const folder = join(root, 'supabase/migrations')
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => ({ file, sql: readFileSync(join(folder, file), 'utf8') }))
}

type Permission = readonly [object: string, verb: string]

/** The permissions that a definition names, for actions, guards, values and tabs. */
function namedPermissions(value: unknown): Permission[] {
  if (typeof value !== 'object' || value === null) return []
  const { object, verb } = value as { object?: unknown; verb?: unknown }
  if (typeof object === 'string' && typeof verb === 'string') return [[object, verb]]
  return Object.values(value).flatMap(namedPermissions)
}

/** Permissions that functions and policies of the database ask for. */
const ASKED = /\bapp\.(?:can|require|require_rows|sees_rows|has_rule)\(\s*'([\w-]+)',\s*'(\w+)'/g

function ownersOf(
  definitions: readonly Definition[],
  migrations: readonly { sql: string }[],
): Vocabulary['owners'] {
  const owners = new Map<string, Set<string>>()
  const permissions: Permission[] = [
    ...definitions.flatMap((definition) => [
      ...Object.keys(definition.actions ?? {}).map((action): Permission => [String(definition.name), action]),
      ...namedPermissions(definition),
    ]),
    ...migrations.flatMap(({ sql }) =>
      [...sql.matchAll(ASKED)].map(([, object = '', verb = '']): Permission => [object, verb]),
    ),
  ]
  for (const [object, verb] of permissions)
    if (!(VERBS as readonly string[]).includes(verb))
      owners.set(verb, (owners.get(verb) ?? new Set()).add(object))
  return owners
}

export function readVocabulary(root: string): Vocabulary {
  const definitions = readDefinitions(root)
  const migrations = readMigrations(root)
  return {
    owners: ownersOf(definitions, migrations),
    rules: new Map(
      definitions.flatMap(({ name, rules }): [string, Set<string>][] =>
        typeof name === 'string' && rules ? [[name, new Set(Object.keys(rules))]] : [],
      ),
    ),
    objects: new Set([
      ...SCREENS,
      ...readPages(root).flatMap(({ values }) => values.object ?? []),
      ...migrations.flatMap(({ sql }) => publicRelations(sql)),
      ...definitions.flatMap((definition) =>
        typeof definition.name === 'string' ? [definition.name, ...kindObjects(definition)] : [],
      ),
    ]),
    verbs: new Set([...VERBS, ...definitions.flatMap(({ actions }) => Object.keys(actions ?? {}))]),
  }
}
