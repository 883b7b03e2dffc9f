import { kindOf } from '@/resource/fields/kinds'
import { commentsOf } from '@/resource/language/comments'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { formOf, listOf, relatedTab, showOf } from '@/resource/language/naming'
import { shownByActions } from '@/resource/request/filter/actions'

/** Names that a place of the words may hold, each with those below it; null for anything. */
export type Known = { [name: string]: Known } | null

const texts = (names: Iterable<string>): Known => Object.fromEntries([...names].map((name) => [name, {}]))

/** Fields with those of inner tables, by their dotted path. */
function pathsOf(fields: Readonly<Record<string, Field>>): [path: string[], field: Field][] {
  return Object.entries(fields).flatMap(([name, field]): [string[], Field][] => {
    const inner = Reflect.get(field, 'fields') as Record<string, Field> | undefined
    return [
      [[name], field],
      ...pathsOf(inner ?? {}).map(([path, each]): [string[], Field] => [[name, ...path], each]),
    ]
  })
}

function put(known: Known, [name = '', ...rest]: readonly string[], value: Known): void {
  if (known === null) return
  const below = Object.hasOwn(known, name) ? known[name] : undefined
  if (rest.length === 0) known[name] = value === null || below === undefined ? value : { ...value, ...below }
  else {
    const next = below ?? {}
    known[name] = next
    put(next, rest, value)
  }
}

function nested(paths: Iterable<readonly string[]>, value: Known = {}): Known {
  const known: Known = {}
  for (const path of paths) put(known, path, value)
  return known
}

/** All words that the screens of a resource ever ask for. */
export function wordsOf(definition: Definition): Known {
  const show = showOf(definition)
  const related = show?.related ?? []
  const form = formOf(definition)
  const parts = Object.values({ ...form?.steps, ...form?.tabs })
  const actions = Object.entries(definition.actions ?? {})
  const fields = [
    ...pathsOf(definition.fields),
    ...actions.flatMap(([, { params }]) => pathsOf(params ?? {})),
  ]
  const listed = (listOf(definition)?.columns ?? []).map((column) =>
    typeof column === 'string' ? column : column.field,
  )
  const columns = [...listed, ...shownByActions(definition)]
  const values: Known = {}
  for (const [path, field] of fields) {
    const choices = kindOf(field.type).choices?.(field)
    put(values, path, choices?.isClosed ? texts(choices.known) : choices || field.type === 'text' ? null : {})
  }
  const sections = [show, form, ...parts, ...Object.values(show?.tabs ?? {})].flatMap((part) =>
    Object.keys(part?.sections ?? {}),
  )
  sections.push(...Object.keys(show?.side ?? {}))
  const names = actions.map(([name]) => name)
  const comments = commentsOf(definition)
  return {
    ...texts(['one', 'many', 'page', 'details', 'empty', 'emptyTitle', 'deleteText', 'locked']),
    fields: texts(fields.filter(([path]) => path.length === 1).flatMap(([path]) => path)),
    columns: nested([
      ...fields.filter(([path]) => path.length > 1).map(([path]) => path),
      ...columns.filter((column) => column.includes('.')).map((column) => column.split('.')),
    ]),
    help: nested(fields.map(([path]) => path)),
    none: texts(fields.filter(([path]) => path.length === 1).flatMap(([path]) => path)),
    values,
    sections: texts(sections),
    tabs: texts([
      ...Object.keys(show?.tabs ?? {}),
      ...Object.keys(form?.tabs ?? {}),
      ...related.map((each) => relatedTab(related, each)),
      'overview',
      'activity',
    ]),
    steps: texts(Object.keys(form?.steps ?? {})),
    views: texts(Object.keys(listOf(definition)?.views ?? {})),
    dashboard: texts(Object.keys(listOf(definition)?.dashboard ?? {})),
    actions: texts(names),
    confirm: texts(names),
    notNow: texts(names),
    above: texts(related.filter(({ above }) => above).map((each) => relatedTab(related, each))),
    // The function alone knows what it counts.
    effects: Object.fromEntries(actions.flatMap(([, { effects }]) => (effects ? [[effects, null]] : []))),
    ...(comments
      ? { comments: texts(Object.keys(comments.kinds)), closed: texts(Object.keys(comments.kinds)) }
      : {}),
    done: texts(names.flatMap((name) => [`${name}_one`, `${name}_other`])),
  }
}

/** Words of any resource: also of one that is added later, so that only those of groups are judged. */
export function sharedWords(definitions: readonly Definition[]): Known {
  const groups = definitions.flatMap(({ group }) => group ?? [])
  return {
    fields: null,
    sections: null,
    tabs: null,
    steps: null,
    values: null,
    phrases: null,
    groups: texts(groups),
  }
}
