import type { Definition } from '@/resource/language/definition.generated'
import type { Inspection } from '@/resource/language/inspect/inspection'

/** The columns of the mark, which no field may take. */
const MARK = ['deleted_at', 'deleted_by', 'deleted_name']

/** A trash keeps rows of a table of its own, and there must be a way to put them there. */
export function inspectTrash(inspection: Inspection, definition: Definition): void {
  if (!definition.trash) return
  if (definition.delete === false)
    inspection.add(
      '/trash',
      'nothing is deleted in the console, so nothing goes to the trash',
      'Remove one of the two.',
    )
  if (definition.view)
    inspection.add(
      '/trash',
      'the rows of a view are those of its tables, and only a table has a trash',
      'Say `"trash": true` in the definition of the table.',
    )
  for (const name of MARK.filter((each) => each in definition.fields))
    inspection.add(
      `/fields/${name}`,
      `the trash keeps its mark in \`${name}\`, which is empty in every record that anybody sees`,
      'Remove the field.',
    )
}
