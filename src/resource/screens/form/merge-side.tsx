import type { Row } from '@/data/rows'
import { FieldCell } from '@/resource/fields/cells'
import { targetOf } from '@/resource/fields/related-field'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { embedKey } from '@/resource/language/embed-keys'
import { findDefinition } from '@/resource/language/registry'
import { useChosen } from '@/resource/request/query/use-record-query'
import { relatedRow } from '@/resource/request/query/values'

interface MergeSideProps {
  definition: Definition
  name: string
  field: Field
  /** All values of the side: an amount needs its currency. */
  values: Row
  /** On one line, as in a list. */
  dense?: boolean
}

function idsOf(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value]
  return all.filter((id): id is string => typeof id === 'string' && id !== '')
}

function targetDefinition(field: Field): Definition | null {
  const name = field.type === 'many-to-many' ? field.to : targetOf(field)
  return name === null ? null : findDefinition(name)
}

/** Shows a side of a field, as the field's own cell does. */
export function MergeSide(props: MergeSideProps) {
  const target = targetDefinition(props.field)
  return target ? <RelatedSide {...props} target={target} /> : <PlainSide {...props} />
}

function PlainSide({ definition, name, field, values, dense = false }: MergeSideProps) {
  return (
    <FieldCell
      value={values[name] ?? null}
      field={field}
      name={name}
      resource={definition.name}
      row={values}
      dense={dense}
    />
  )
}

/** A form holds related records by their ids; their titles the form's pickers have mostly read already. */
function RelatedSide({ target, ...props }: MergeSideProps & { target: Definition }) {
  const { name, field, values } = props
  const ids = idsOf(values[name])
  const { data = [], isLoading } = useChosen(target, ids)
  const held = relatedRow(values, name)
  // Part of the key would not help the reader and disappears once the title loads.
  if (isLoading && !ids.every((id) => id === held?.id)) return <span aria-busy="true">…</span>
  const rows = ids.map((id) => data.find((row) => row.id === id) ?? { id })
  const side: Row =
    field.type === 'many-to-many'
      ? { ...values, [name]: rows }
      : { ...values, [embedKey(name)]: data.length > 0 ? rows[0] : isLoading ? held : null }
  return <PlainSide {...props} values={side} />
}
