import { kindOf } from '@/resource/fields/kinds'
import { targetOf } from '@/resource/fields/related-field'
import type { Definition, Field } from '@/resource/language/definition.generated'
import type { DefinitionProblem } from '@/resource/language/entry'
import type { PointedProblem } from '@/resource/language/inspect/problems'
import { lineOf, parseJsonSource } from '@/resource/language/json-source'
import { evaluator } from '../policies/changes'
import { fileOf, type PolicyLine, readPolicies, rolesOf } from '../policies/lines'
import { readDefinitions } from './tree'

/** A field that the database fills, or with a permission of its own, may point at unreadable records on purpose. */
function pointedAt(field: Field): string | null {
  // Whoever reads the record reads its files.
  if (field.readonly || field.guard || field.from || kindOf(field.type).isUpload) return null
  return field.type === 'many-to-many' ? field.to : targetOf(field)
}

/** People are no resource of their own. */
const isNamed = (target: string, names: ReadonlySet<string>) => target === 'people' || names.has(target)

/** Roles that may list the records, and not those that a field of theirs points at. */
export function inspectRelations(
  definition: Definition,
  lines: readonly Pick<PolicyLine, 'file' | 'line' | 'cells'>[],
  /** The linter names a relation to anything else. */
  names: ReadonlySet<string> | null = null,
): PointedProblem[] {
  const { name, fields } = definition
  const cells = lines.map((line) => line.cells)
  return rolesOf([...lines]).flatMap((role) => {
    const can = evaluator(cells, role)
    if (!can(name, 'list')) return []
    return Object.entries(fields).flatMap(([field, value]) => {
      const target = pointedAt(value)
      if (target === null || (names && !isNamed(target, names)) || can(target, 'list')) return []
      return [
        {
          pointer: `/fields/${field}`,
          message: `${role} may list \`${name}\` but not \`${target}\`: \`${field}\` reads "Not visible to you"`,
          hint: `If the role may read them: add \`p, ${role}, ${target}, list, allow\` to policies/${fileOf(role)}, then run \`npm run policies\`.`,
          isWarning: true,
        },
      ]
    })
  })
}

/** The same of every definition, by file and line. */
export function unreadRelations(root: string): DefinitionProblem[] {
  const lines = readPolicies(root)
  const files = readDefinitions(root)
  const names = new Set(files.flatMap(({ definition }) => definition?.name ?? []))
  return files.flatMap(({ file, text, definition }) => {
    const found = definition ? inspectRelations(definition, lines, names) : []
    return found.map(({ pointer, ...problem }) => ({
      file,
      line: lineOf(parseJsonSource(text), pointer),
      ...problem,
    }))
  })
}

/** The same for the person who adds a field. */
export const tellRelations = (definition: Definition, lines: readonly PolicyLine[]): string[] =>
  inspectRelations(definition, lines).map(({ message, hint }) => `Note: ${message}.\n    ${hint}`)
