import type {
  Condition,
  Definition,
  Field,
  Filter,
  Related,
  Sections,
} from '@/resource/definition/definition.generated'
import { didYouMean } from '@/resource/definition/did-you-mean'
import { formOf, listOf, showOf } from '@/resource/definition/naming'
import type { InspectContext, PointedProblem } from '@/resource/definition/problems'
import { isKnownVariable, isVariable } from '@/resource/filter/scope'
import { relatedField, targetOf } from '@/resource/queries/related-field'

/** Columns that every tenant table has, declared or not. */
const GIVEN = ['id', 'company_id', 'created_at', 'updated_at', 'version']
/** Words of the list's URL: a field of that name could not be filtered. */
const RESERVED = ['q', 'view', 'sort', 'page', 'pageSize', 'after', 'before', 'tab']

function hintFor(word: string, candidates: readonly string[]): string | undefined {
  const meant = didYouMean(word, candidates)
  return meant ? `Did you mean \`${meant}\`?` : undefined
}

class Inspection {
  readonly problems: PointedProblem[] = []
  private readonly names: string[]
  constructor(
    private readonly definition: Definition,
    private readonly context: InspectContext,
  ) {
    this.names = Object.keys(definition.fields)
  }

  add(pointer: string, message: string, hint?: string): void {
    this.problems.push({ pointer, message, ...(hint ? { hint } : {}) })
  }

  field(pointer: string, name: string, extra: readonly string[] = []): void {
    if (this.names.includes(name) || extra.includes(name)) return
    this.add(pointer, `no field \`${name}\``, hintFor(name, [...this.names, ...extra]))
  }

  target(pointer: string, name: string): void {
    const { find, names = [] } = this.context
    if (!find || find(name)) return
    this.add(pointer, `no resource \`${name}\``, hintFor(name, names))
  }

  related(pointer: string, { resource, by }: Related): void {
    this.target(`${pointer}/resource`, resource)
    const names = Object.keys(this.context.find?.(resource)?.fields ?? {})
    if (names.length > 0 && !names.includes(by))
      this.add(`${pointer}/by`, `\`${resource}\` has no field \`${by}\``, hintFor(by, names))
  }

  variable(pointer: string, value: unknown, names: readonly string[] = this.names): void {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (!isVariable(item)) continue
      if (item.startsWith('$record.')) {
        const name = item.slice('$record.'.length)
        if (!names.includes(name) && !GIVEN.includes(name))
          this.add(pointer, `no field \`${name}\``, hintFor(name, names))
      } else if (/^\$[a-z]/.test(item) && !isKnownVariable(item))
        this.add(pointer, `unknown variable \`${item}\``, hintFor(item, ['$user', '$now', '$record.']))
    }
  }

  condition(pointer: string, condition: Condition): void {
    for (const [operator, value] of Object.entries(condition)) this.variable(`${pointer}/${operator}`, value)
  }

  filter(pointer: string, filter: Filter | undefined, names: readonly string[] = this.names): void {
    for (const [key, value] of Object.entries(filter ?? {})) {
      if (key === '_and' || key === '_or') {
        for (const [index, inner] of (value as Filter[]).entries())
          this.filter(`${pointer}/${key}/${index}`, inner, names)
        continue
      }
      if (!names.includes(key) && !GIVEN.includes(key))
        this.add(`${pointer}/${key}`, `no field \`${key}\``, hintFor(key, names))
      this.condition(`${pointer}/${key}`, value as Condition)
    }
  }

  sections(pointer: string, sections: Sections | undefined): void {
    const seen = new Set<string>()
    for (const [section, rows] of Object.entries(sections ?? {})) {
      for (const [index, row] of rows.entries()) {
        for (const name of row.split(/\s+/)) {
          const place = `${pointer}/${section}/${index}`
          this.field(place, name)
          if (seen.has(name)) this.add(place, `the field \`${name}\` stands here twice`)
          seen.add(name)
        }
      }
    }
  }

  sort(pointer: string, text: string | undefined): void {
    if (!text) return
    for (const part of text.split(',')) {
      const name = part.replace(/^-/, '')
      this.field(pointer, name)
      if (this.names.includes(name) && !this.definition.fields[name]?.sort)
        this.add(
          pointer,
          `the list cannot sort by \`${name}\``,
          `Give the field \`"sort": true\`, and its column an index.`,
        )
    }
  }

  /** A field of this resource, or `relation.field` of the one it points at. */
  column(pointer: string, path: string): void {
    const [relation = '', name] = path.split('.')
    this.field(pointer, relation)
    const own = this.definition.fields[relation]
    if (name === undefined || !own) return
    const targetName = targetOf(own)
    if (targetName === null) {
      this.add(pointer, `\`${relation}\` is no relation, so nothing stands behind its dot`)
      return
    }
    const target = this.context.find?.(targetName)
    if (!target || relatedField(this.definition, path, () => target)) return
    if (target.fields[name])
      this.add(
        pointer,
        `\`${name}\` of \`${targetName}\` stands in another table again`,
        'Only columns of the related table itself can be shown.',
      )
    else
      this.add(
        pointer,
        `\`${targetName}\` has no field \`${name}\``,
        hintFor(name, Object.keys(target.fields)),
      )
  }
}

function inspectField(inspection: Inspection, context: InspectContext, name: string, field: Field): void {
  const pointer = `/fields/${name}`
  inspection.filter(`${pointer}/when`, field.when)
  if (field.check) inspection.condition(`${pointer}/check`, field.check)
  if (RESERVED.includes(name))
    inspection.add(pointer, `\`${name}\` is a word of the list's address and cannot name a field`)
  if ('default' in field) inspection.variable(`${pointer}/default`, field.default)
  if (field.type === 'enum' && field.default !== undefined && !(field.default in field.values))
    inspection.add(
      `${pointer}/default`,
      `the default \`${field.default}\` is not among the values`,
      hintFor(field.default, Object.keys(field.values)),
    )
  if (field.type === 'text' && field.pattern !== undefined && !isPattern(field.pattern))
    inspection.add(`${pointer}/pattern`, `\`${field.pattern}\` is not a regular expression`)
  if (field.type === 'relation' || field.type === 'many-to-many') {
    inspection.target(`${pointer}/to`, field.to)
    const target = context.find?.(field.to)
    if (target && field.where) inspection.filter(`${pointer}/where`, field.where, Object.keys(target.fields))
  }
  if (field.type === 'code' && field.language?.startsWith('$'))
    inspection.variable(`${pointer}/language`, field.language)
}

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

function inspectList(inspection: Inspection, definition: Definition): void {
  const list = listOf(definition)
  for (const [index, column] of (list?.columns ?? []).entries()) {
    const pointer = `/list/columns/${index}`
    if (typeof column === 'string') inspection.column(pointer, column)
    else {
      inspection.column(`${pointer}/field`, column.field)
      for (const [place, name] of (column.with ?? []).entries())
        inspection.column(`${pointer}/with/${place}`, name)
    }
  }
  inspection.sort('/list/sort', list?.sort)
  inspection.filter('/list/filter', list?.filter)
  for (const [view, { filter, sort }] of Object.entries(list?.views ?? {})) {
    inspection.filter(`/list/views/${view}/filter`, filter)
    inspection.sort(`/list/views/${view}/sort`, sort)
  }
}

function inspectShow(inspection: Inspection, definition: Definition): void {
  const show = showOf(definition)
  inspection.sections('/show/sections', show?.sections)
  for (const [index, name] of (show?.summary ?? []).entries())
    inspection.field(`/show/summary/${index}`, name)
  for (const [index, related] of (show?.related ?? []).entries())
    inspection.related(`/show/related/${index}`, related)
  for (const [tab, { sections, component }] of Object.entries(show?.tabs ?? {})) {
    inspection.sections(`/show/tabs/${tab}/sections`, sections)
    if (show?.tab_urls && tab === 'edit')
      inspection.add(
        `/show/tabs/${tab}`,
        'the address of this tab is that of the edit form',
        'Give it another name.',
      )
    if (!sections && !component)
      inspection.add(`/show/tabs/${tab}`, 'the tab shows nothing', 'Give it `sections` or `component`.')
  }
}

/** What a definition names: fields, targets, variables. The shape was checked before. */
export function inspectReferences(definition: Definition, context: InspectContext): PointedProblem[] {
  const inspection = new Inspection(definition, context)
  for (const [name, field] of Object.entries(definition.fields))
    inspectField(inspection, context, name, field)
  for (const [, name] of (definition.title ?? '').matchAll(/\{(\w+)\}/g))
    if (name) inspection.field('/title', name, ['id'])
  inspectList(inspection, definition)
  inspectShow(inspection, definition)
  inspection.sections('/form/sections', formOf(definition)?.sections)
  for (const [name, action] of Object.entries(definition.actions ?? {})) {
    inspection.filter(`/actions/${name}/when`, action.when)
    if (!action.rpc && !action.component)
      inspection.add(`/actions/${name}`, 'the action does nothing', 'Give it `rpc` or `component`.')
    if (action.rpc && action.component)
      inspection.add(
        `/actions/${name}`,
        'the action has both `rpc` and `component`',
        'A component calls what it needs itself.',
      )
  }
  return inspection.problems
}
