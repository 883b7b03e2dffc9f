import { Form } from 'antd'
import { memo, Suspense, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCan, useDenialText } from '@/access/use-can'
import type { Row } from '@/data/rows'
import { useAskedField } from '@/resource/fields/guards'
import { FieldInput } from '@/resource/fields/inputs'
import { kindOf, spanOf } from '@/resource/fields/kinds'
import type { Definition, Field, Sections } from '@/resource/language/definition.generated'
import { embedKey } from '@/resource/language/embed-keys'
import { formOf } from '@/resource/language/naming'
import { uniqueSets } from '@/resource/language/unique'
import { type ResourceWords, useWords } from '@/resource/language/words'
import { filterFields, mentionedFields, splitCheck } from '@/resource/request/filter/mentioned-fields'
import type { FilterScope } from '@/resource/request/filter/scope'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { checkField, isBlank, isShown } from '@/resource/screens/form/check-record'
import { RelatedWatch, TakenWatch } from '@/resource/screens/form/field-watches'
import { sameValue } from '@/resource/screens/form/form-values'
import { useProblemText } from '@/resource/screens/form/use-problem-text'
import { lazyPart } from '@/ui/load-chunk'
import '@/resource/screens/form/form.css'

const Suggestions = lazyPart(() =>
  import('@/resource/screens/form/suggestions').then((module) => ({ default: module.Suggestions })),
)

const SpanField = lazyPart(() =>
  import('@/resource/screens/form/span-field').then((module) => ({ default: module.SpanField })),
)

interface FormFieldsProps {
  definition: Definition
  sections: Sections
  /** The record being edited: its fixed fields also decide which fields are shown. Absent for a new one. */
  row?: Row
  /** Fields with a given value: shown and sent, but not editable. */
  fixed?: readonly string[]
  disabled?: boolean
  /** Whether hints are shown. They are written for the form of one record. */
  hasHelp?: boolean
}

const NONE: readonly string[] = []

/** The fields of a form, which react to each other's values. */
export function FormFields({
  definition,
  sections,
  row,
  fixed = NONE,
  disabled = false,
  hasHelp = true,
}: FormFieldsProps) {
  const words = useWords(definition)
  const form = Form.useFormInstance<Row>()
  const watched: unknown = Form.useWatch([], { form, preserve: true })
  const { filter } = useResourceScope()
  const record = { ...row, ...(watched as Row | undefined) }
  const isAsked = useAskedField(definition)
  const hasField = (rows: readonly string[]) =>
    rows
      .flatMap((line) => line.split(/\s+/))
      .some((name) => isAsked(name) && isShown(definition, name, record, filter))
  const all = Object.entries(sections)
  return (
    <>
      {all
        .filter(([, rows]) => hasField(rows))
        .map(([section, rows]) => (
          <fieldset key={section} className="k-form-section">
            {all.length > 1 ? <legend>{words.section(section)}</legend> : null}
            {rows.map((line) => (
              <FormRow
                key={line}
                line={line}
                {...{ definition, words, record, scope: filter, row, fixed, disabled, hasHelp }}
              />
            ))}
          </fieldset>
        ))}
    </>
  )
}

interface FormRowProps {
  /** The names of its fields, separated by spaces. */
  line: string
  definition: Definition
  words: ResourceWords
  record: Row
  scope: FilterScope
  row: Row | undefined
  fixed: readonly string[]
  disabled: boolean
  hasHelp: boolean
}

/** The values that a row of the form is drawn from; null when it may be any of them. */
function readFields(definition: Definition, line: string): string[] | null {
  const names = line.split(/\s+/)
  const fields = names.flatMap((name) => definition.fields[name] ?? [])
  // A hand-written component may read the whole record.
  if (fields.some(({ component }) => component !== undefined)) return null
  const others = fields.flatMap((field) => [
    ...(spanOf(field) ?? []),
    ...filterFields(field.when),
    ...mentionedFields(field),
    ...(kindOf(field.type).companions?.(field as never) ?? []),
  ])
  const sets = uniqueSets(definition).filter((fields) => names.includes(fields.at(-1) ?? ''))
  return [...names, ...others, ...sets.flat(), 'company_id']
}

function isSameRow(before: FormRowProps, after: FormRowProps): boolean {
  const { record: old, ...rest } = before
  if (Object.entries(rest).some(([key, value]) => !Object.is(value, Reflect.get(after, key)))) return false
  return (
    readFields(after.definition, after.line)?.every((name) => Object.is(old[name], after.record[name])) ??
    false
  )
}

/** Drawn again only when a value changed that it reads: a form may have hundreds of fields. */
const FormRow = memo(function FormRow({ line, ...rest }: FormRowProps) {
  const { definition, record, scope } = rest
  const names = line.split(/\s+/)
  const isAsked = useAskedField(definition)
  const shown = names.filter((name) => isAsked(name) && isShown(definition, name, record, scope))
  if (shown.length === 0) return null
  return (
    <div className="k-form-row" data-count={shown.length}>
      {shown.map((name) => {
        const field = definition.fields[name]
        if (!field) return null
        const between = spanOf(field)
        if (!between) return <FormField key={name} name={name} field={field} {...rest} />
        return (
          <Suspense key={name} fallback={null}>
            <SpanField
              name={name}
              label={rest.words.field(name)}
              help={rest.hasHelp ? rest.words.help(name) : undefined}
              between={between}
              record={record}
              isNew={rest.row === undefined}
              disabled={rest.disabled}
            />
          </Suspense>
        )
      })}
    </div>
  )
}, isSameRow)

interface FormFieldProps extends Omit<FormRowProps, 'line'> {
  name: string
  field: Field
}

/** Why a field cannot be changed, where somebody might wonder. */
function useRefusal(field: Field): string | undefined {
  const can = useCan()
  const { t } = useTranslation('engine')
  const denialText = useDenialText()
  const needed = field.guard?.write
  if (!needed) return undefined
  const verdict = can(needed.object, needed.verb)
  if (verdict.allowed) return undefined
  return t('form.fieldRefused', { reason: denialText(verdict.reason) })
}

function FormField({
  name,
  field,
  definition,
  words,
  record,
  scope,
  row,
  fixed,
  disabled,
  hasHelp,
}: FormFieldProps) {
  const problemText = useProblemText(definition, words)
  const form = Form.useFormInstance<Row>()
  const refusal = useRefusal(field)
  const { t } = useTranslation('errors')
  const [isTaken, setTaken] = useState(false)
  const wasTaken = useRef(false)
  useEffect(() => {
    if (wasTaken.current === isTaken) return
    wasTaken.current = isTaken
    // Shows the error at the field, or takes it away.
    void form.validateFields([name]).catch(() => undefined)
  }, [isTaken, form, name])
  const { related } = splitCheck(field.check)
  const checkedBy = kindOf(field.type).checkedBy?.(field as never)
  const isCheckedByRecord = checkedBy !== undefined
  const read = checkedBy ? [...related, checkedBy] : related
  /** The records that the check compares with, as a fetched row holds them. */
  const [others, setOthers] = useState<Row>({})
  const takeOther = useCallback((relation: string, other: Row | null) => {
    const key = embedKey(relation)
    setOthers((all) => ((all[key] ?? null) === other ? all : { ...all, [key]: other }))
  }, [])
  useEffect(() => {
    // A value that depends on a chosen record may be wrong at once; one that is checked by it alone is not filled in yet.
    const isFilled = !isCheckedByRecord && !isBlank(form.getFieldValue(name))
    if (Object.keys(others).length === 0 || !(isFilled || form.getFieldError(name).length > 0)) return
    void form.validateFields([name]).catch(() => undefined)
  }, [others, form, name, isCheckedByRecord])
  // A set of fields tells its error at the last one, which is filled in last.
  const watched = refusal ? [] : uniqueSets(definition).filter((fields) => fields.at(-1) === name)
  const isFixed = (row !== undefined && field.once === true) || fixed.includes(name)
  const help = hasHelp ? words.help(name) : undefined
  const item = (
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
            const all = { ...row, ...(form.getFieldsValue(true) as Row), ...others, [name]: value }
            // Stored values met the questions of their time, and stay as they are.
            if (checkedBy && row && sameValue(field, value, row[name])) return
            const problem = checkField(definition, name, all, scope)
            if (problem) throw new Error(problemText(problem, name))
            if (isTaken) throw new Error(words.message(name) ?? t('duplicate'))
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
  const suggest = row === undefined ? formOf(definition)?.suggest : undefined
  return (
    <>
      {item}
      {suggest?.by === name ? (
        <Suspense fallback={null}>
          <Suggestions definition={definition} suggest={suggest} record={record} />
        </Suspense>
      ) : null}
      {[...new Set(read.map(({ relation }) => relation))].map((relation) => (
        <RelatedWatch
          key={relation}
          {...{ definition, relation, record }}
          names={read.flatMap((each) => (each.relation === relation ? [each.name] : []))}
          onChange={takeOther}
        />
      ))}
      {watched.slice(0, 1).map((fields) => (
        <TakenWatch key={fields.join()} {...{ definition, fields, record, row }} onChange={setTaken} />
      ))}
    </>
  )
}
