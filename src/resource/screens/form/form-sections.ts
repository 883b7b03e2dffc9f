import type { Definition, Sections } from '@/resource/definition/definition.generated'
import { formOf } from '@/resource/definition/naming'
import { editableFields } from '@/resource/screens/form/form-values'

/** The form's sections; without any, one with every field that can be edited, one a row. */
export function formSections(definition: Definition): Sections {
  const sections = formOf(definition)?.sections
  return sections ?? { main: editableFields(definition).filter((name) => name !== 'company_id') }
}
