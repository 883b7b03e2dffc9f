import { hiddenTable } from '@/resource/language/embed-keys'
import { schemaFiles } from '../../schema/files'
import type { Model } from '../../schema/objects'
import { loadParser, SchemaError } from '../../schema/parse'
import { policyExpression } from '../../schema/policy'
import { isLines, readObjects } from '../../schema/read'
import type { CommentsPlan } from '../migration/comments'
import { literal } from '../migration/sql'
import type { NamedObjects } from './in-database'
import type { Renames } from './renames'

/** The objects of `supabase/schemas`; null where a file is broken, so that only the catalog can be asked. */
export async function readSchemas(root: string): Promise<Model | null> {
  await loadParser()
  try {
    return readObjects(
      schemaFiles(root).filter((file) => !isLines(file)),
      'schemas',
    )
  } catch (error) {
    if (error instanceof SchemaError) return null
    throw error
  }
}

const bare = (text: string) => text.replace(/^(?:--[^\n]*\n)+/, '')

/**
 * The named objects with the texts that the schemas have for them. PostgreSQL prints the same in another way, and the
 * migration would then differ from the schemas.
 */
export function withTexts(objects: NamedObjects, model: Model): NamedObjects {
  return {
    ...objects,
    policies: objects.policies.map((policy) => {
      const text = model.get(`policy ${policy.name} on public.${policy.table}`)?.text
      if (text === undefined) return policy
      return {
        ...policy,
        using: policyExpression(text, 'using')?.text ?? policy.using,
        check: policyExpression(text, 'with check')?.text ?? policy.check,
      }
    }),
    triggers: objects.triggers.map((trigger) => {
      const text = model.get(`trigger ${trigger.name} on public.${trigger.table}`)?.text
      return text === undefined ? trigger : { ...trigger, written: bare(text) }
    }),
    functions: objects.functions.map((each) => {
      const found = [...model.objects.values()].filter(({ identity }) =>
        identity.startsWith(`function ${each.schema}.${each.name}(`),
      )
      const [only] = found
      if (found.length !== 1 || !only) return each
      return { ...each, definition: bare(only.text).replace(/^create (?!or replace)/i, 'create or replace ') }
    }),
  }
}

/** The ends of the names of what a call makes; with `keep_search`, a function and an index. */
const ENDS: Record<string, readonly string[]> = {
  keep_tenant: ['touch', 'immutable_tenant', 'permission'],
  keep_audit: ['audit_insert', 'audit_update', 'audit_delete'],
  keep_announced: ['announce_insert', 'announce_update', 'announce_delete'],
  keep_files: ['files_gone'],
  keep_trash: ['trash'],
}

/** A call with the new names of its table, its resource and the columns that it names. */
function renamedCall(
  call: string,
  kind: string,
  table: string,
  { renames, thread }: { renames: Renames; thread: CommentsPlan | null },
): string {
  if (kind === 'keep_comments' && thread && table === renames.comments)
    return `select app.keep_comments('public.${thread.table}', ${literal(JSON.stringify(thread.settings))})`
  const columns = renames.columns.get(table)
  let index = -1
  const changed = call.replace(/'((?:[^']|'')*)'/g, (all, word: string, at: number) => {
    index++
    const before = call.slice(0, at)
    const isColumn = before.lastIndexOf('array[') > before.lastIndexOf(']')
    if (index === 0) return `'public.${renames.tables.get(table) ?? table}'`
    if (kind === 'keep_tenant' && !isColumn)
      return word === renames.resource?.from ? `'${renames.resource.to}'` : all
    // The audience of a live message is a word of its own.
    if (kind === 'keep_announced' && index === 1) return all
    // The permission that a hidden field needs may be one of the resource itself.
    if (kind.startsWith('keep_hidden') && kind !== 'keep_hidden_search' && index > 1)
      return index === 2 && word === renames.resource?.from ? `'${renames.resource.to}'` : all
    if (kind === 'keep_hidden_search')
      return `'${word.replace(/\w+/g, (name) => columns?.get(name) ?? name)}'`
    if (kind === 'keep_files' && renames.objects.has(word)) return `'${renames.objects.get(word)}'`
    // The fields with files are the keys of an object.
    if (kind === 'keep_files' && word.startsWith('{'))
      return `'${word.replace(/"(\w+)"(?=:\{)/g, (key, name: string) => (columns?.has(name) ? `"${columns.get(name)}"` : key))}'`
    return `'${columns?.get(word) ?? word}'`
  })
  const key = kind === 'keep_audit' ? columns?.get('name_key') : undefined
  if (key === undefined) return changed
  // The audit log leaves `name_key` out by itself, and others only where the call names them.
  if (changed.includes('array[')) return changed.replace('array[', `array['${key}', `)
  return changed.replace(/\)$/, `${index === 0 ? ", 'id'" : ''}, array['${key}'])`)
}

export interface KeptRename {
  /** Statements that take away what the calls made, before anything is renamed. */
  drop: string[]
  /** The calls with the new names. */
  again: string[]
  /** The objects without what the calls make. */
  rest: NamedObjects
}

/** Triggers and searches that a call of a `keep_` function made are made again by the call, as the schemas have it. */
export function renameKept(
  objects: NamedObjects,
  model: Model,
  renames: Renames,
  thread: CommentsPlan | null,
): KeptRename {
  const [drop, again]: [string[], string[]] = [[], []]
  const gone = new Set<string>()
  const sides = new Set<string>()
  /** Tables of hidden values, whose policies are made again as well. */
  const hidden = new Set<string>()
  for (const { kind, identity, text } of model.objects.values()) {
    const [, call = '', table = ''] = /^(keep_\w+) of public\.(\w+)$/.exec(identity) ?? []
    if (kind !== 'keep' || !(renames.tables.has(table) || renames.columns.has(table) || renames.resource))
      continue
    const next = renamedCall(bare(text), call, table, { renames, thread })
    if (next === bare(text)) continue
    again.push(`${next};`)
    if (call === 'keep_comments' && table === renames.comments) {
      drop.push(`select app.release_comments('public.${table}');`)
      gone.add(`function search_${table}`).add(`index ${table}_search_idx`)
      sides.add(table)
    }
    if (call === 'keep_search') {
      drop.push(`drop function public.search_${table}(text);`, `drop index public.${table}_search_idx;`)
      gone.add(`function search_${table}`).add(`index ${table}_search_idx`)
    }
    const [, field] = call === 'keep_hidden_search' ? [] : (/^keep_hidden_(\w+)$/.exec(call) ?? [])
    if (field) {
      const [to, column] = [
        renames.tables.get(table) ?? table,
        renames.columns.get(table)?.get(field) ?? field,
      ]
      drop.push(
        `drop trigger ${table}_zz_hide_${field} on public.${table};`,
        `select app.rename_hidden('public.${table}', '${field}', '${to}', '${column}');`,
      )
      gone.add(`trigger ${table}_zz_hide_${field}`).add(`function search_${table}`)
      sides.add(hiddenTable(table, field))
      hidden.add(hiddenTable(table, field))
    }
    const ends = (ENDS[call] ?? []).map((end) => `${table}_${end}`)
    const isMade = (name: string) =>
      ends.includes(name) || (call === 'keep_files' && name.startsWith(`${table}_file_`))
    for (const trigger of objects.triggers.filter((each) => each.table === table && isMade(each.name))) {
      drop.push(`drop trigger ${trigger.name} on public.${table};`)
      gone.add(`trigger ${trigger.name}`)
    }
  }
  return {
    drop,
    again,
    rest: {
      ...objects,
      triggers: objects.triggers.filter(
        ({ name, table }) => !gone.has(`trigger ${name}`) && !sides.has(table),
      ),
      policies: objects.policies.filter(({ table }) => !hidden.has(table)),
      indexes: objects.indexes.filter(({ name }) => !gone.has(`index ${name}`)),
      functions: objects.functions.filter(
        ({ schema, name }) => schema !== 'public' || !gone.has(`function ${name}`),
      ),
    },
  }
}
