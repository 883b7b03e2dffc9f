import { wrap } from '../resource/migration/sql'
import { type SchemaObject, tableOf } from './objects'

const bare = (identity: string) => identity.replace(/ (?:on|of) \S+$/, '')
const nameIn = (identity: string) => bare(identity).replace(/^\w+ /, '')

/** The comments above an item of a table, and the item. */
function withLead(text: string, begin: string): string {
  const lead = /^(?:--[^\n]*\n)*/.exec(text)?.[0] ?? ''
  return `${lead}${begin}${text.slice(lead.length).replaceAll('\n', '\n  ')};`
}

export function dropStatement(object: SchemaObject): string {
  const { kind, identity } = object
  const table = tableOf(object)
  if (kind === 'constraint') return `alter table ${table} drop constraint ${nameIn(identity)};`
  if (kind === 'index') return `drop index ${table.slice(0, table.indexOf('.'))}.${nameIn(identity)};`
  return kind === 'policy' || kind === 'trigger' ? `drop ${bare(identity)} on ${table};` : `drop ${identity};`
}

/** A new object. A column and a constraint are parts of the text of their table. */
export function make(object: SchemaObject): string {
  const { kind, text } = object
  if (kind === 'column') return withLead(text, `alter table ${tableOf(object)} add column `)
  if (kind === 'constraint') return withLead(text, `alter table ${tableOf(object)} add `)
  return `${text};`
}

/** A changed object that needs no drop. */
export function remake({ kind, text }: SchemaObject): string {
  if (!['function', 'view', 'trigger'].includes(kind)) return `${text};`
  return `${text.replace(/^((?:--[^\n]*\n)*)create (?!or replace)/i, '$1create or replace ')};`
}

export function alterColumn(now: SchemaObject, then: SchemaObject): string[] {
  const [facts, old] = [now.column, then.column]
  if (!facts || !old) return []
  const on = `alter table ${tableOf(now)} alter column ${nameIn(now.identity)}`
  const isNewValue = facts.value !== old.value
  return [
    ...(isNewValue ? [facts.value ? `${on} set default ${facts.valueText};` : `${on} drop default;`] : []),
    ...(facts.isRequired === old.isRequired ? [] : [`${on} ${facts.isRequired ? 'set' : 'drop'} not null;`]),
  ]
}

/** `function app.can(text, text)`, `table public.groups`, `column public.groups.name`, `policy x on public.groups`. */
function addressed(identity: string): string {
  return identity
    .replace(/^column (\S+) of (\S+)$/, 'column $2.$1')
    .replace(/^index (\S+) on (\w+)\.\S+$/, 'index $2.$1')
}

export const commentOff = ({ identity }: SchemaObject): string =>
  `comment on ${addressed(identity.slice('comment on '.length))} is null;`

/** Takes back all that the migrations granted, then grants what the schemas say. */
export function renewGrants(now: SchemaObject | undefined, then: SchemaObject): string[] {
  const target = then.identity.slice('grants on '.length).replace(/^view /, 'table ')
  const roles = [...(then.privileges ?? [])].map((pair) => pair.slice(0, pair.indexOf(' ')))
  const grants = (now?.text.split(/;\n(?=grant|revoke|--)/i) ?? []).filter(
    (each) => !/^revoke all on/i.test(each),
  )
  const revoke = `revoke all on ${target} from ${[...new Set(['public', ...roles])].join(', ')};`
  return [...(roles.length > 0 ? [revoke] : []), ...grants.map((each) => `${each};`)]
}

/** The kind of object that a statement makes, changes or drops. */
const nounOf = (text: string) =>
  /^(?:create (?:or replace )?(?:unique |constraint )?|alter |drop )(\w+)/i.exec(text)?.[1] ?? ''

/** Whether a statement follows another without an empty line between. */
function isAttached(text: string, before: string): boolean {
  if (/^(?:comment on|grant|revoke all on function)\b/i.test(text)) return true
  const [noun, last] = [nounOf(text), nounOf(before)]
  if (/\benable row level security$/i.test(before.replace(/;$/, ''))) return noun === 'policy'
  if (/\benable row level security;$/i.test(text)) return /^(?:grant|revoke)\b/i.test(before)
  const isShort = !['function', 'view'].includes(noun) && !/^create table\b/i.test(text)
  return noun !== '' && noun === last && (isShort || /^drop\b/i.test(text))
}

/** Blocks with an empty line between; a comment and grants follow their object at once. */
export function renderMigration(name: string, statements: readonly string[]): string {
  const title = name.replaceAll('_', ' ')
  const isSql = statements.some(
    (each) => /^create (?:or replace )?function\b/im.test(each) && /\blanguage sql\b/i.test(each),
  )
  const lines = [`-- ${title.slice(0, 1).toUpperCase()}${title.slice(1)}.`, '']
  // A function of plain SQL may name what a later statement makes.
  if (isSql) lines.push('set check_function_bodies = off;', '')
  for (const [index, text] of statements.entries()) {
    if (index > 0 && !isAttached(text, statements[index - 1] ?? '')) lines.push('')
    lines.push(text)
  }
  return `${lines.join('\n')}\n`
}

const PRIVILEGES = ['select', 'insert', 'update', 'delete']

/** The grants of one role on an object, as one statement; empty for a role without any. */
export function renderGrants(target: string, role: string, pairs: readonly string[]): string {
  const own = pairs.map((pair) => pair.slice(role.length + 1))
  const whole = PRIVILEGES.filter((each) => own.includes(each)).concat(
    own.filter((each) => !each.includes('(') && !PRIVILEGES.includes(each)),
  )
  const columns = new Map<string, string[]>()
  for (const each of own) {
    const [, privilege = '', column = ''] = /^(\w+)\((\w+)\)$/.exec(each) ?? []
    if (privilege) columns.set(privilege, [...(columns.get(privilege) ?? []), column])
  }
  const parts = [
    ...(whole.length > 0 ? [whole.join(', ')] : []),
    ...[...columns].map(([privilege, names]) => `${privilege} (${wrap(names, '    ')})`),
  ]
  const on = `on ${target.replace(/^(?:view|table) /, '')} to ${role};`
  if (parts.length === 0) return ''
  return columns.size === 0 ? `grant ${parts.join(', ')} ${on}` : `grant ${parts.join(',\n  ')}\n  ${on}`
}
