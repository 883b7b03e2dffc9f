import type { Definition } from '@/resource/definition/definition.generated'
import { createPath, LIST_PARAMS, listPath, singularOf } from '@/resource/definition/naming'
import { GIVEN } from './migration/plan'
import { suggestion } from './suggestion'

export interface NameProblem {
  message: string
  hint?: string
}

/** Words that Postgres reads as its own even where a column or table could stand. */
const SQL_WORDS = new Set(
  `all analyse analyze and any array as asc asymmetric authorization between binary both case cast check collate
  collation column concurrently constraint create cross current_catalog current_date current_role current_schema
  current_time current_timestamp current_user default deferrable desc distinct do else end except false fetch for
  foreign freeze from full grant group having ilike in initially inner intersect into is isnull join lateral leading
  left like limit localtime localtimestamp natural not notnull null offset on only or order outer overlaps placing
  primary references returning right select session_user similar some symmetric system_user table tablesample then to
  trailing true union unique user using variadic verbose when where window with`.split(/\s+/),
)

/** First parts of addresses that the server answers itself, or that stand before sign-in. */
const TAKEN_ROUTES = [
  'auth',
  'rest',
  'realtime',
  'agent',
  'mailbox',
  'assets',
  'login',
  'signup',
  'forgot-password',
  'reset-password',
  'waf-test',
  'src',
]

const SNAKE = /^[a-z][a-z0-9_]*$/
/** Leaves room for `_company_…_idx` below Postgres' 63. */
const LONGEST = 40

function shapeOf(what: string, name: string): NameProblem | null {
  if (!SNAKE.test(name)) {
    const near = name
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '')
      .replaceAll('ı', 'i')
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '_')
      .replace(/^[_0-9]+|_+$/g, '')
    return {
      message: `\`${name}\` cannot name a ${what}: small letters, digits and \`_\`, a letter first`,
      ...(near ? { hint: `Did you mean \`${near}\`?` } : {}),
    }
  }
  if (name.length > LONGEST) return { message: `\`${name}\` is longer than ${LONGEST} letters` }
  return null
}

/** A word of SQL as the name of a resource: every statement over it would need quotes. */
export function resourceNameProblem(name: string): NameProblem | null {
  const shape = shapeOf('resource', name)
  if (shape) return shape
  if (SQL_WORDS.has(name))
    return {
      message: `\`${name}\` is a word of SQL and cannot name a table`,
      hint: `Did you mean \`${name}s\`?`,
    }
  if (/^(pg_|search_|_)/.test(name))
    return { message: `names that begin so belong to the database: \`${name}\`` }
  return null
}

/** What a field may not be called. `given` columns are allowed in a definition that shows them, never in a new field. */
export function fieldNameProblem(name: string, { isNew }: { isNew: boolean }): NameProblem | null {
  const shape = shapeOf('field', name)
  if (shape) return shape
  if (isNew && GIVEN.includes(name))
    return {
      message: `\`${name}\` is a column that every table has already`,
      hint: 'Leave it out: it comes by itself.',
    }
  if (SQL_WORDS.has(name))
    return {
      message: `\`${name}\` is a word of SQL and cannot name a column`,
      hint: `Did you mean \`${name}_name\`, or another word?`,
    }
  if (LIST_PARAMS.has(name))
    return { message: `\`${name}\` is a word of the list’s address and cannot name a field` }
  if (name === 'search' || name === 'xmin' || name === 'ctid' || name === 'tableoid')
    return { message: `\`${name}\` is a column the database keeps for itself` }
  return null
}

export interface Taken {
  definitions: readonly Definition[]
  tables: readonly string[]
  paths: readonly string[]
}

/** Whether a new resource would meet a table, a resource or a page that exists. */
export function takenProblem(
  definition: Pick<Definition, 'name' | 'route' | 'singular'>,
  taken: Taken,
): NameProblem | null {
  const { name } = definition
  const other = taken.definitions.find((each) => each.name === name)
  if (other)
    return {
      message: `there is a resource \`${name}\` already: resources/${name}.json`,
      hint: `Change it there, then run \`npm run resource migrate ${name}\`.`,
    }
  if (taken.tables.includes(name))
    return {
      message: `there is a table \`${name}\` already`,
      hint: `\`npm run resource from-table ${name}\` writes a definition for it.`,
    }
  return pathProblem(definition, {
    pages: [...taken.paths, ...taken.definitions.map(listPath)],
    forms: [...taken.paths, ...taken.definitions.map(createPath)],
  })
}

/** An address of the definition that the server or another page already has, and the option that sets it. */
export function pathProblem(
  definition: Pick<Definition, 'name' | 'route' | 'singular'>,
  { pages, forms }: { pages: readonly string[]; forms: readonly string[] },
): (NameProblem & { option: 'route' | 'singular' }) | null {
  const path = listPath(definition)
  const option = 'route'
  const hint = 'Choose another `route`.'
  if (TAKEN_ROUTES.includes(path.split('/')[1] ?? ''))
    return { option, message: `the server answers ${path} itself`, hint }
  if (pages.includes(path))
    return { option, message: `the path ${path} is taken by a page of the console`, hint }
  const create = createPath(definition)
  if (forms.includes(create))
    return {
      option: 'singular',
      message: `the path ${create} is taken by a page of the console`,
      hint: `Choose another \`singular\` than \`${singularOf(definition)}\`.`,
    }
  return null
}

export function unknownName(what: string, name: string, known: Iterable<string>): NameProblem {
  return { message: `no ${what} \`${name}\``, ...suggestion(name, known) }
}
