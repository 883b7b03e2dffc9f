import { isEditable, spanOf } from '@/resource/fields/kinds'
import { linkedTo, ownField, relatedField, targetOf } from '@/resource/fields/related-field'
import type {
  Condition,
  Definition,
  Field,
  Filter,
  Related,
  Sections,
} from '@/resource/language/definition.generated'
import { hintFor } from '@/resource/language/inspect/hint'
import type { InspectContext, PointedProblem } from '@/resource/language/inspect/problems'
import {
  operatorProblem,
  rangeProblem,
  type ValueProblem,
  valueProblem,
  variableProblem,
} from '@/resource/language/inspect/values'
import { tableOf } from '@/resource/language/naming'
import { isKnownVariable, isVariable } from '@/resource/request/filter/scope'

/** Columns that every tenant table has, declared or not. */
export const GIVEN: readonly string[] = ['id', 'company_id', 'created_at', 'updated_at', 'version']

const OF_TAGS: ReadonlySet<string> = new Set(['_has_any', '_has_all', '_empty'])

/** Resolves the names that a definition uses, and collects the unknown ones. */
export class Inspection {
  readonly problems: PointedProblem[] = []
  readonly names: string[]
  constructor(
    readonly definition: Definition,
    readonly context: InspectContext,
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
    const { find, names = [], broken } = this.context
    if (!find || find(name) || broken?.has(name)) return
    this.add(pointer, `no resource \`${name}\``, hintFor(name, names))
  }

  related(pointer: string, { resource, by }: Related): void {
    this.target(`${pointer}/resource`, resource)
    const names = Object.keys(this.context.find?.(resource)?.fields ?? {})
    if (names.length > 0 && !names.includes(by))
      this.add(`${pointer}/by`, `\`${resource}\` has no field \`${by}\``, hintFor(by, names))
    const source = this.context.find?.(resource)
    const field = source ? ownField(source, by) : undefined
    const to = field && linkedTo(field)
    const target = to ? this.context.find?.(to) : null
    const hint = `Name the field of \`${resource}\` that points to \`${this.definition.name}\`.`
    if (field && !to) this.add(`${pointer}/by`, `\`${by}\` of \`${resource}\` is not a relation`, hint)
    else if (target && tableOf(target) !== tableOf(this.definition))
      this.add(
        `${pointer}/by`,
        `\`${by}\` of \`${resource}\` points to \`${to}\`, not to \`${this.definition.name}\``,
        hint,
      )
  }

  variable(pointer: string, value: unknown, names: readonly string[] = this.names): void {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (!isVariable(item)) continue
      if (item.startsWith('$record.')) {
        const name = item.slice('$record.'.length)
        if (name.includes('.'))
          this.add(
            pointer,
            `\`${item}\` is a field of a related record, which only the \`check\` of a field compares with, one at a time`,
            'Name a field of the record itself.',
          )
        else if (!names.includes(name) && !GIVEN.includes(name))
          this.add(pointer, `no field \`${name}\``, hintFor(name, names))
      } else if (/^\$[a-z]/.test(item) && !isKnownVariable(item))
        this.add(pointer, `unknown variable \`${item}\``, hintFor(item, ['$user', '$now', '$record.']))
    }
  }

  condition(pointer: string, condition: Condition, field?: Field): void {
    const range = field ? rangeProblem(condition) : null
    if (range) this.add(`${pointer}/${range.operator}`, range.message, 'Change one of the two.')
    for (const [operator, value] of Object.entries(condition)) {
      // Whether an action is offered is decided on the record that was read, with its links.
      const isOnLinks =
        field?.type === 'many-to-many' && /^\/(?:actions|show\/related)\/[^/]+\/when\//.test(pointer)
      if (operator === '_none' && !isOnLinks) {
        this.add(
          `${pointer}/${operator}`,
          '`_none` is for rules of groups: a list cannot ask for it',
          'Filter by a column of the record itself.',
        )
        continue
      }
      if (Array.isArray(value) && value.length === 0)
        this.add(
          `${pointer}/${operator}`,
          `\`${operator}\` has no values to compare with`,
          'Name at least one.',
        )
      if (field && field.type !== 'tags' && OF_TAGS.has(operator))
        this.add(
          `${pointer}/${operator}`,
          `\`${operator}\` compares tags, not \`${field.type}\``,
          'Use `_in`, `_contains` or `_null`.',
        )
      this.variable(`${pointer}/${operator}`, value)
      if (field && !(isOnLinks && operator === '_contains'))
        this.operand(`${pointer}/${operator}`, field, operator, value)
    }
  }

  /** Whether the operator and its value have a meaning for the field. */
  private operand(pointer: string, field: Field, operator: string, value: unknown): void {
    const report = (problem: ValueProblem | null) => {
      if (problem) this.add(pointer, problem.message, problem.hint)
      return problem !== null
    }
    if (report(operatorProblem(field, operator)) || operator === '_null' || OF_TAGS.has(operator)) return
    for (const item of Array.isArray(value) ? value : [value]) {
      if (isVariable(item)) report(variableProblem(field, item, this.definition.fields))
      else if (operator !== '_contains') report(valueProblem(field, item))
    }
  }

  filter(
    pointer: string,
    filter: Filter | undefined,
    fields: Readonly<Record<string, Field>> = this.definition.fields,
  ): void {
    const names = Object.keys(fields)
    for (const [key, value] of Object.entries(filter ?? {})) {
      if (key === '_and' || key === '_or') {
        for (const [index, inner] of (value as Filter[]).entries())
          this.filter(`${pointer}/${key}/${index}`, inner, fields)
        if ((value as Filter[]).length === 0)
          this.add(`${pointer}/${key}`, `\`${key}\` holds no filters`, 'Add some, or remove it.')
        continue
      }
      if (!names.includes(key) && !GIVEN.includes(key))
        this.add(`${pointer}/${key}`, `no field \`${key}\``, hintFor(key, names))
      this.condition(`${pointer}/${key}`, value as Condition, ownField({ fields }, key))
    }
  }

  sections(pointer: string, sections: Sections | undefined, seen = new Set<string>()): void {
    for (const [section, rows] of Object.entries(sections ?? {})) {
      if (rows.length === 0)
        this.add(`${pointer}/${section}`, `the section \`${section}\` is empty`, 'Add fields, or remove it.')
      for (const [index, row] of rows.entries()) {
        for (const name of row.split(/\s+/)) {
          const place = `${pointer}/${section}/${index}`
          this.field(place, name)
          if (
            pointer.startsWith('/form/') &&
            this.names.includes(name) &&
            !isEditable(this.definition.fields[name]) &&
            !spanOf(this.definition.fields[name])
          )
            this.add(
              place,
              `the form does not show \`${name}\`, which nobody can edit`,
              'Remove it here, or let it be edited.',
            )
          if (seen.has(name)) this.add(place, `the field \`${name}\` is shown here already`, 'Remove one.')
          seen.add(name)
        }
      }
    }
  }

  sort(pointer: string, text: string | undefined): void {
    if (!text) return
    const sorted = text.split(',').map((part) => part.replace(/^-/, ''))
    for (const [index, name] of sorted.entries()) {
      if (sorted.indexOf(name) < index)
        this.add(pointer, `the list sorts by \`${name}\` twice`, 'Remove one.')
      this.field(pointer, name)
      if (this.names.includes(name) && !this.definition.fields[name]?.sort)
        this.add(
          pointer,
          `the list cannot sort by \`${name}\``,
          `Give the field \`"sort": true\`, and its column an index.`,
        )
    }
  }

  /** A field of this resource, or `relation.field` of the related one. */
  column(pointer: string, path: string): void {
    const [relation = '', name] = path.split('.')
    this.field(pointer, relation)
    const own = ownField(this.definition, relation)
    if (name === undefined || !own) return
    const targetName = targetOf(own)
    if (targetName === null) {
      this.add(
        pointer,
        `\`${relation}\` does not point to one record, whose \`${name}\` could be read`,
        `Write \`${relation}\`, or name a relation before the dot.`,
      )
      return
    }
    const target = this.context.find?.(targetName)
    if (!target || relatedField(this.definition, path, () => target)) return
    if (ownField(target, name))
      this.add(
        pointer,
        `\`${name}\` of \`${targetName}\` is in yet another table`,
        'Only columns of the related table itself can be read.',
      )
    else
      this.add(
        pointer,
        `\`${targetName}\` has no field \`${name}\``,
        hintFor(name, Object.keys(target.fields)),
      )
  }
}
