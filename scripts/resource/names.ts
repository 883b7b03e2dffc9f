import type { Definition } from '@/resource/language/definition.generated'
import type { NameProblem } from '@/resource/language/inspect/reserved'
import { createPath, listPath, singularOf } from '@/resource/language/naming'
import { StartError } from '../../supabase/embedded/start-error'
import { suggestion } from './suggestion'

/** @throws StartError, always. */
export function refuse({ message, hint }: NameProblem): never {
  throw new StartError(`${message}${hint ? `\n    ${hint}` : ''}`)
}

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
