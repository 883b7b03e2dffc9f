import { isEditable, kindOf } from '@/resource/fields/kinds'
import { ownField } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import type { FindDefinition } from '@/resource/language/entry'
import { hintFor } from '@/resource/language/inspect/hint'
import type { Inspection } from '@/resource/language/inspect/inspection'
import { formOf } from '@/resource/language/naming'

/** The lists of children in a form: what they name exists, can be edited, and holds what a new child requires. */
export function inspectChildren(inspection: Inspection, definition: Definition, find?: FindDefinition): void {
  for (const [index, { resource, by, fields }] of (formOf(definition)?.children ?? []).entries()) {
    const pointer = `/form/children/${index}`
    inspection.related(pointer, { resource, by })
    const target = find?.(resource)
    if (!target || !fields) continue
    const names = Object.keys(target.fields)
    for (const [place, name] of fields.entries()) {
      const field = ownField(target, name)
      if (!field)
        inspection.add(
          `${pointer}/fields/${place}`,
          `\`${resource}\` has no field \`${name}\``,
          hintFor(name, names),
        )
      else if (!isEditable(field) || kindOf(field.type).detached || name === by || name === 'company_id')
        inspection.add(
          `${pointer}/fields/${place}`,
          `the field \`${name}\` of \`${resource}\` cannot be edited here`,
          name === by ? 'It follows from the record itself. Remove it.' : 'Remove it.',
        )
    }
    const missing = names.find((name) => {
      const field = target.fields[name]
      const isGiven = name === by || name === 'company_id' || fields.includes(name)
      return field?.required && isEditable(field) && !isGiven && !('default' in field)
    })
    if (missing !== undefined && target.create !== false)
      inspection.add(
        `${pointer}/fields`,
        `\`${resource}\` requires \`${missing}\`, which is not among the fields: nothing could be added`,
        `Add "${missing}".`,
      )
  }
}
