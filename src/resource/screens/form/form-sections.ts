import { editableFields } from '@/resource/fields/kinds'
import type { Definition, Sections } from '@/resource/language/definition.generated'
import { formOf } from '@/resource/language/naming'

/** The form's sections; without any, one with every field that can be edited, one a row. */
export function formSections(definition: Definition): Sections {
  const sections = formOf(definition)?.sections
  return sections ?? { main: editableFields(definition).filter((name) => name !== 'company_id') }
}

export interface FormPart {
  name: string
  sections: Sections
}

export interface FormLayout {
  /** All at once, one after the other, or side by side. */
  kind: 'plain' | 'steps' | 'tabs'
  parts: FormPart[]
}

/** How the form is divided. A plain form is one part. */
export function formLayout(definition: Definition): FormLayout {
  const form = formOf(definition)
  const kind = form?.steps ? 'steps' : form?.tabs ? 'tabs' : 'plain'
  const given = form?.steps ?? form?.tabs
  if (!given) return { kind, parts: [{ name: 'main', sections: formSections(definition) }] }
  return { kind, parts: Object.entries(given).map(([name, { sections }]) => ({ name, sections })) }
}

/** The fields of a section, in display order. */
export function partFields({ sections }: FormPart): string[] {
  return Object.values(sections).flatMap((rows) => rows.flatMap((row) => row.split(/\s+/)))
}

/** The section of a field; undefined when the form does not show it. */
export function partOf(layout: FormLayout, field: string): FormPart | undefined {
  return layout.parts.find((part) => partFields(part).includes(field))
}
