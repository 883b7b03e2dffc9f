import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import { isOutOfRole } from '@/access/policy'
import { useAccess } from '@/access/use-access'
import { useDenialText } from '@/access/use-denial-text'
import type { Row } from '@/data/rows'
import type { Definition, Field, Sections } from '@/resource/definition/definition.generated'
import { type ResourceWords, useWords } from '@/resource/definition/words'
import { isEditable } from '@/resource/fields/editable'
import { FieldInput } from '@/resource/fields/inputs'
import { kindOf } from '@/resource/fields/kinds'
import { useMayChoose } from '@/resource/fields/use-readable'
import { mentionedFields } from '@/resource/filter/mentioned-fields'
import type { FilterScope } from '@/resource/filter/scope'
import { checkField, isShown } from '@/resource/form/check-record'
import { useProblemText } from '@/resource/form/use-problem-text'
import { useResourceScope } from '@/resource/query/use-scope'
import '@/resource/form/form.css'

interface FormFieldsProps {
  definition: Definition
  sections: Sections
  /** The record being edited: its fixed fields also decide which fields are shown. Absent for a new one. */
  row?: Row
  /** Fields with a given value: shown and sent, but not editable. */
  fixed?: readonly string[]
  disabled?: boolean
}

const NONE: readonly string[] = []

/** The fields of a form, which react to each other's values. */
export function FormFields({ definition, sections, row, fixed = NONE, disabled = false }: FormFieldsProps) {
  const words = useWords(definition)
  const form = Form.useFormInstance<Row>()
  const watched: unknown = Form.useWatch([], { form, preserve: true })
  const { filter } = useResourceScope()
  const record = { ...row, ...(watched as Row | undefined) }
  const names = Object.keys(sections)
  return (
    <>
      {Object.entries(sections).map(([section, rows]) => (
        <fieldset key={section} className="k-form-section">
          {names.length > 1 ? <legend>{words.section(section)}</legend> : null}
          {rows.map((line) => (
            <FormRow
              key={line}
              names={line.split(/\s+/)}
              {...{ definition, words, record, scope: filter, row, fixed, disabled }}
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
  row: Row | undefined
  fixed: readonly string[]
  disabled: boolean
}

function FormRow({ names, ...rest }: FormRowProps) {
  const { definition, record, scope } = rest
  const { can } = useAccess()
  const hasChoice = useMayChoose()
  const shown = names.filter((name) => {
    const field = definition.fields[name]
    const needed = field?.guard?.write
    if (needed && isOutOfRole(can(needed.object, needed.verb))) return false
    return isEditable(field) && hasChoice(field) && isShown(definition, name, record, scope)
  })
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

/** Why a field cannot be changed, where somebody might wonder. */
function useRefusal(field: Field): string | undefined {
  const { can } = useAccess()
  const { t } = useTranslation('engine')
  const denialText = useDenialText()
  const needed = field.guard?.write
  if (!needed) return undefined
  const verdict = can(needed.object, needed.verb)
  if (verdict.allowed) return undefined
  return t('form.fieldRefused', { reason: denialText(verdict.reason) })
}

function FormField({ name, field, definition, words, record, scope, row, fixed, disabled }: FormFieldProps) {
  const problemText = useProblemText(definition, words)
  const form = Form.useFormInstance<Row>()
  const refusal = useRefusal(field)
  const isFixed = (row !== undefined && field.once === true) || fixed.includes(name)
  const help = words.help(name)
  return (
    <Form.Item
      className={kindOf(field.type).wide ? 'k-form-wide' : undefined}
      name={name}
      label={words.field(name)}
      extra={refusal && help ? `${help} ${refusal}` : (refusal ?? help)}
      required={field.required === true}
      validateTrigger={['onBlur']}
      // Another field's change can make this one right or wrong.
      dependencies={mentionedFields(field.check)}
      rules={[
        {
          validator: async (_rule, value: unknown) => {
            // The user cannot correct a field that they cannot change.
            if (refusal) return
            const all = { ...row, ...(form.getFieldsValue(true) as Row), [name]: value }
            const problem = checkField(definition, name, all, scope)
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
        disabled={disabled || isFixed || refusal !== undefined}
        aria-required={field.required === true}
      />
    </Form.Item>
  )
}
