import { Checkbox, Form, Input, Radio, Select } from 'antd'
import { Fragment, type ReactNode } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { useLanguage } from '@/i18n/use-language'
import { FieldLinksContext } from '@/resource/fields/cell-parts'
import { useMayChoose, useRefusedFields } from '@/resource/fields/guards'
import { kindOf } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { useRecordTitles } from '@/resource/request/query/use-record-titles'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { DeletedNames, DeletionText } from '@/resource/screens/actions/delete-dialog'
import { FormFields } from '@/resource/screens/form/form-fields'
import { MergeSide } from '@/resource/screens/form/merge-side'
import type { BulkJob } from '@/resource/tools/bulk/bulk-dialog'
import { bulkFields, isListField, LIST_WAYS } from '@/resource/tools/bulk/bulk-fields'
import {
  askedDefinition,
  CHOSEN,
  CLEARED,
  type EditStep,
  editSteps,
  isClearable,
  isComplete,
  WAYS,
} from '@/resource/tools/bulk/edit-plan'

interface EditSummaryProps {
  definition: Definition
  steps: readonly EditStep[]
  count: number
}

/** Says in a sentence what the edit will do. */
function EditSummary({ definition, steps, count }: EditSummaryProps) {
  const { t } = useTranslation('bulk')
  const words = useWords(definition)
  const language = useLanguage()
  const phrase = ({ name, field, kind, value }: EditStep): ReactNode => (
    <Trans
      t={t}
      i18nKey={`plan.${kind}`}
      values={{ field: words.field(name) }}
      components={{
        name: <strong />,
        value: (
          // A press on it must not lead away from the dialog.
          <FieldLinksContext value={false}>
            <MergeSide {...{ definition, name, field }} values={{ [name]: value }} dense />
          </FieldLinksContext>
        ),
      }}
    />
  )
  const list = new Intl.ListFormat(language, { type: 'conjunction' })
  const places = steps.map((_step, index) => String(index))
  return (
    <p className="k-bulk-plan" role="status">
      <Trans
        t={t}
        i18nKey="plan.rows"
        values={{ rows: words.counted(count) }}
        components={{
          changes: (
            <span>
              {list.formatToParts(places).map(({ type, value }, index) => {
                const step = type === 'element' ? steps[Number(value)] : undefined
                // biome-ignore lint/suspicious/noArrayIndexKey: parts of one sentence have no identity but their place
                return <Fragment key={index}>{step ? phrase(step) : value}</Fragment>
              })}
            </span>
          ),
        }}
      />
    </p>
  )
}

/** The name of a control of the question; no field has this name. */
export const CONFIRMATION = '$count'

export interface JobQuestion {
  definition: Definition
  job: BulkJob
  ids: readonly string[]
  /** The rows that were selected one by one; none for all matching rows. */
  rows: readonly Row[]
  of: number | undefined
  needsTyping: boolean
}

/** Asks for the job's fields, parameters and confirmation before it starts. */
export function JobQuestions({ definition, job, ids, rows, of, needsTyping }: JobQuestion) {
  const { t } = useTranslation('bulk')
  const count = ids.length
  if (count === 0) return <p role="status">{t('none')}</p>
  return (
    <>
      {of !== undefined && of > count ? <p>{t('someOnly', { total: of })}</p> : null}
      {job.kind === 'delete' ? (
        <>
          {rows.length === count ? <DeletedNames definition={definition} rows={rows} /> : null}
          {rows.length === 0 && count <= MAX_READ ? <FoundNames definition={definition} ids={ids} /> : null}
          <DeletionText definition={definition} count={count} />
        </>
      ) : null}
      {job.kind === 'edit' ? <EditFields definition={definition} count={count} /> : null}
      {job.kind === 'action' ? <Params definition={definition} named={job.named} /> : null}
      {needsTyping ? <Confirmation count={count} /> : null}
    </>
  )
}

/** So few of all matching rows are read for their names. */
const MAX_READ = 3

/** The names of rows that were found by their ids alone. */
function FoundNames({ definition, ids }: { definition: Definition; ids: readonly string[] }) {
  const find = useRecordTitles(
    ids.map((id) => ({ resource: definition.name, id })),
    useResourceScope(),
  )
  const rows = ids.map((id) => find({ resource: definition.name, id })).filter((row) => !!row)
  return rows.length === ids.length ? <DeletedNames definition={definition} rows={rows} /> : null
}

function EditFields({ definition, count }: { definition: Definition; count: number }) {
  const { t } = useTranslation('bulk')
  const words = useWords(definition)
  const form = Form.useFormInstance<Row>()
  const names = bulkFields(definition, useRefusedFields(definition), useMayChoose())
  const steps = editSteps(definition, (Form.useWatch([], { form, preserve: true }) as Row | undefined) ?? {})
  // A switch shows "off" before it is touched, so its value must be "off".
  const handleChoice = (next: string[]) => {
    for (const name of next) {
      const field = definition.fields[name]
      const empty = field && kindOf(field.type).empty
      if (empty !== undefined && form.getFieldValue(name) === undefined) form.setFieldValue(name, empty)
    }
  }
  return (
    <>
      <Form.Item name={CHOSEN} label={t('fields')} extra={t('fieldsHint')}>
        <Select
          mode="multiple"
          options={names.map((name) => ({ value: name, label: words.field(name) }))}
          showSearch={{ optionFilterProp: 'label' }}
          onChange={handleChoice}
        />
      </Form.Item>
      {steps.map((step) => (
        <EditField key={step.name} definition={definition} step={step} />
      ))}
      {isComplete(steps) ? <EditSummary definition={definition} steps={steps} count={count} /> : null}
    </>
  )
}

/** Renders a chosen field: its control, and the explicit choice to clear the field. */
function EditField({ definition, step }: { definition: Definition; step: EditStep }) {
  const { t } = useTranslation('bulk')
  const { name, field, kind } = step
  const label = useWords(definition).field(name)
  const ways = isClearable(field) ? ([...LIST_WAYS, 'clear'] as const) : LIST_WAYS
  return (
    <fieldset className="k-bulk-field" aria-label={label}>
      {isListField(field) ? (
        <Form.Item name={[WAYS, name]} label={t('way', { field: label })} initialValue="add">
          <Radio.Group options={ways.map((way) => ({ value: way, label: t(`ways.${way}`) }))} />
        </Form.Item>
      ) : null}
      {kind === 'clear' ? (
        isListField(field) ? null : (
          <p className="k-bulk-cleared">{label}</p>
        )
      ) : (
        <FormFields
          definition={askedDefinition(definition, [step])}
          sections={{ [name]: [name] }}
          hasHelp={false}
        />
      )}
      {isClearable(field) && !isListField(field) ? (
        <Form.Item name={[CLEARED, name]} valuePropName="checked" noStyle>
          <Checkbox aria-label={t('clearField', { field: label })}>{t('clear')}</Checkbox>
        </Form.Item>
      ) : null}
    </fieldset>
  )
}

interface ParamsProps {
  definition: Definition
  named: Extract<BulkJob, { kind: 'action' }>['named']
}

function Params({ definition, named }: ParamsProps) {
  const words = useWords(definition)
  const params = named.action.params ?? {}
  const asked = { ...definition, fields: params }
  return (
    <>
      {words.text('confirm', named.name) ? <p>{words.text('confirm', named.name)}</p> : null}
      <FormFields definition={asked} sections={{ params: Object.keys(params) }} />
    </>
  )
}

function Confirmation({ count }: { count: number }) {
  const { t } = useTranslation('bulk')
  return (
    <Form.Item
      name={CONFIRMATION}
      label={t('confirm', { count })}
      validateTrigger={['onBlur']}
      rules={[
        {
          validator: async (_rule, value: unknown) => {
            if (String(value ?? '').trim() !== String(count)) throw new Error(t('confirmWrong', { count }))
          },
        },
      ]}
    >
      <Input inputMode="numeric" autoComplete="off" />
    </Form.Item>
  )
}
