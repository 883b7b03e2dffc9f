import type {
  Condition,
  Definition,
  Field,
  Filter,
  Related,
  Sections,
} from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { relatedField, targetOf } from '@/resource/fields/related-field'
import { isKnownVariable, isVariable } from '@/resource/filter/scope'
import { hintFor } from '@/resource/inspect/hint'
import type { InspectContext, PointedProblem } from '@/resource/inspect/problems'
import { operatorProblem, type ValueProblem, valueProblem, variableProblem } from '@/resource/inspect/values'

/** Columns that every tenant table has, declared or not. */
const GIVEN = ['id', 'company_id', 'created_at', 'updated_at', 'version']

const OF_TAGS: ReadonlySet<string> = new Set(['_has_any', '_has_all', '_empty'])

/** Resolves the names that a definition uses, and collects the unknown ones. */
export class Inspection {
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
    const field = this.context.find?.(resource)?.fields[by]
    const to = field && targetOf(field)
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
        if (!names.includes(name) && !GIVEN.includes(name))
          this.add(pointer, `no field \`${name}\``, hintFor(name, names))
      } else if (/^\$[a-z]/.test(item) && !isKnownVariable(item))
        this.add(pointer, `unknown variable \`${item}\``, hintFor(item, ['$user', '$now', '$record.']))
    }
  }

  condition(pointer: string, condition: Condition, field?: Field): void {
    for (const [operator, value] of Object.entries(condition)) {
      if (field && field.type !== 'tags' && OF_TAGS.has(operator))
        this.add(`${pointer}/${operator}`, `\`${operator}\` compares tags, not \`${field.type}\``)
      this.variable(`${pointer}/${operator}`, value)
      if (field) this.operand(`${pointer}/${operator}`, field, operator, value)
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
        continue
      }
      if (!names.includes(key) && !GIVEN.includes(key))
        this.add(`${pointer}/${key}`, `no field \`${key}\``, hintFor(key, names))
      this.condition(`${pointer}/${key}`, value as Condition, fields[key])
    }
  }

  sections(pointer: string, sections: Sections | undefined, seen = new Set<string>()): void {
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

  /** A field of this resource, or `relation.field` of the related one. */
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
        `\`${name}\` of \`${targetName}\` is in yet another table`,
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
