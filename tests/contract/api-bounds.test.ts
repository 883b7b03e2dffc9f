import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { writeFilters } from '@/data/postgrest'
import { tableOf } from '@/resource/language/naming'
import { findDefinition, resourceEntries } from '@/resource/language/registry'
import { toCrudFilters } from '@/resource/request/filter/crud-filters'
import { MAX_CONDITIONS } from '@/resource/request/filter/where'
import { MAX_SORTS } from '@/resource/request/query/list-state'
import { buildSelect } from '@/resource/request/query/select'
import { recordMeta } from '@/resource/request/query/use-record-query'
import type { ForeignKey } from '../../supabase/embedded/database/api-thread'
import { keysThroughViews } from '../../supabase/embedded/database/rest.mjs'
import { hasManyLists, multiplyingEmbed, readSelection } from '../../supabase/embedded/http/embeds'
import { queryRefusal } from '../../supabase/embedded/http/query-bounds'

/** The references between tables, from the types that `npm run types` writes. */
function foreignKeys(): ForeignKey[] {
  const text = readFileSync(new URL('../../src/data/database.types.ts', import.meta.url), 'utf8')
  const tables = text.slice(text.indexOf('Tables: {'), text.indexOf('Views: {'))
  const keys = tables.split(/\n {6}(?=\w+: \{\n)/).flatMap((part) => {
    const table = /^\w+/.exec(part)?.[0] ?? ''
    return [
      ...part.matchAll(
        /foreignKeyName: '(\w+)'\s+columns: \[([^\]]*)\][\s\S]*?referencedRelation: '(\w+)'\s+referencedColumns: \[([^\]]*)\]/g,
      ),
    ].flatMap(([, name = '', columns = '', target = '', targetColumns = '']) => {
      const names = (list: string) => [...list.matchAll(/\w+/g)].map(([word]) => word)
      return names(columns).map((column, n) => ({
        table,
        column,
        ref_table: target,
        ref_column: names(targetColumns)[n] ?? '',
        foreign_key_name: name,
      }))
    })
  })
  return [...keys, ...keysThroughViews(keys)]
}

const refusalOf = (parameters: Record<string, string>) =>
  queryRefusal(`?${new URLSearchParams(parameters)}`, false)

const definitions = resourceEntries().flatMap(({ definition }) => definition ?? [])

it.each(definitions.map((definition) => [definition.name, definition] as const))(
  'the API takes a list of %s with every column, related columns and sorts',
  (_name, definition) => {
    const select = buildSelect(definition, Object.keys(definition.fields), findDefinition)
    const order = Array.from({ length: MAX_SORTS + 2 }, (_, n) => `column_${n}.desc.nullslast`).join(',')
    expect(refusalOf({ select, order, limit: '501', offset: '10000' })).toBeNull()
    const { embeds } = readSelection(select)
    expect(multiplyingEmbed(embeds, foreignKeys())).toBeNull()
    const filtered = buildSelect(definition, Object.keys(definition.fields), findDefinition, {
      narrowedBy: Object.keys(definition.fields),
    })
    expect(hasManyLists(readSelection(filtered).embeds, tableOf(definition), foreignKeys())).toBe(false)
    const whole = String(recordMeta(definition, { companyId: null } as never).select)
    expect(hasManyLists(readSelection(whole).embeds, tableOf(definition), foreignKeys())).toBe(false)
    expect(refusalOf({ select: whole })).toBeNull()
  },
)

it('the API takes the widest filter that a screen can make', () => {
  const any = Array.from({ length: MAX_CONDITIONS }, (_, n) => ({
    [`column_${n}`]: { _contains: '(a), *b' },
  }))
  const [or = ''] = writeFilters(toCrudFilters({ _or: any })).groups
  expect(or.split('imatch')).toHaveLength(MAX_CONDITIONS + 1)
  expect(refusalOf({ or: `(and(${or},${or}))` })).toBeNull()
  expect(refusalOf({ id: `in.(${Array(1000).fill(crypto.randomUUID()).join(',')})` })).toBeNull()
})
