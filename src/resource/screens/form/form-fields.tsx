import { Form } from 'antd'
import type { Row } from '@/data/rows'
import type { Definition, Field, Sections } from '@/resource/definition/definition.generated'
import { FieldInput } from '@/resource/fields/inputs'
import { kindOf } from '@/resource/fields/kinds'
import type { FilterScope } from '@/resource/filter/scope'
import { useResourceScope } from '@/resource/queries/use-scope'
import { checkField, isShown } from '@/resource/screens/form/check-record'
import { isEditable } from '@/resource/screens/form/form-values'
import { useProblemText } from '@/resource/screens/form/use-problem-text'
import { type ResourceWords, useWords } from '@/resource/words'
import '@/resource/screens/form/form.css'

interface FormFieldsProps {
  definition: Definition
  sections: Sections
  /** Whether fields that are set once are already fixed. */
  isExisting?: boolean
  disabled?: boolean
}

/** The fields of a form, following each other's values as they are typed. */
export function FormFields({ definition, sections, isExisting = false, disabled = false }: FormFieldsProps) {
  const words = useWords(definition)
  const form = Form.useFormInstance<Row>()
  const watched: unknown = Form.useWatch([], form)
  const { filter } = useResourceScope()
  const record = (watched ?? {}) as Row
  const names = Object.keys(sections)
  return (
    <>
      {Object.entries(sections).map(([section, rows]) => (
        <fieldset key={section} className="k-form-section">
          {names.length > 1 ? <legend>{words.section(section)}</legend> : null}
          {rows.map((row) => (
            <FormRow
              key={row}
              names={row.split(/\s+/)}
              {...{ definition, words, record, scope: filter, isExisting, disabled }}
            />
          ))}
        </fieldset>
      ))}
    </>
  )
}

interface FormRowProps {
  names: string[]
  definition: Definition
  words: ResourceWords
  record: Row
  scope: FilterScope
  isExisting: boolean
  disabled: boolean
}

function FormRow({ names, ...rest }: FormRowProps) {
  const { definition, record, scope } = rest
  const shown = names.filter(
    (name) => isEditable(definition.fields[name]) && isShown(definition, name, record, scope),
  )
  if (shown.length === 0) return null
  return (
    <div className="k-form-row" data-count={shown.length}>
      {shown.map((name) => {
        const field = definition.fields[name]
        return field ? <FormField key={name} name={name} field={field} {...rest} /> : null
      })}
    </div>
  )
}

interface FormFieldProps extends Omit<FormRowProps, 'names'> {
  name: string
  field: Field
}

/** Other fields whose change can make this one right or wrong. */
function dependenciesOf(field: Field): string[] {
  const mentioned = JSON.stringify(field.check ?? {}).matchAll(/\$record\.(\w+)/g)
  return [...mentioned].flatMap(([, name]) => (name ? [name] : []))
}

function FormField({ name, field, definition, words, record, scope, isExisting, disabled }: FormFieldProps) {
  const problemText = useProblemText(words)
  const form = Form.useFormInstance<Row>()
  const isFixed = isExisting && field.once === true
  return (
    <Form.Item
      className={kindOf(field.type).wide ? 'k-form-wide' : undefined}
      name={name}
      label={words.field(name)}
      extra={words.help(name)}
      required={field.required === true}
      validateTrigger={['onBlur']}
      dependencies={dependenciesOf(field)}
      rules={[
        {
          validator: async (_rule, value: unknown) => {
            const all = form.getFieldsValue(true) as Row
            const problem = checkField(definition, name, { ...all, [name]: value }, scope)
            if (problem) throw new Error(problemText(problem, name))
          },
        },
      ]}
    >
      <FieldInput
        field={field}
        name={name}
        resource={definition.name}
        record={record}
        disabled={disabled || isFixed}
        aria-required={field.required === true}
      />
    </Form.Item>
  )
}
