import { Form, Input, Radio, Select } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import type { BulkJob } from '@/resource/bulk/bulk-dialog'
import { bulkDefinition, bulkFields } from '@/resource/bulk/bulk-fields'
import { isListField, LIST_WAYS } from '@/resource/bulk/bulk-lists'
import type { Definition } from '@/resource/definition/definition.generated'
import { useMayChoose, useRefusedFields } from '@/resource/definition/use-readable'
import { kindOf } from '@/resource/fields/kinds'
import { FormFields } from '@/resource/screens/form/form-fields'
import { useWords } from '@/resource/words'

/** Controls of the question itself; no field of a record is called so. */
export const CONFIRMATION = '$count'
export const CHOSEN = '$fields'
/** Of each chosen list, whether it is added to, taken from or replaced. */
export const WAYS = '$ways'

export interface JobQuestion {
  definition: Definition
  job: BulkJob
  count: number
  of: number | undefined
  needsTyping: boolean
}

/** What a job asks before it begins: which fields, which parameters, and whether it is meant. */
export function JobQuestions({ definition, job, count, of, needsTyping }: JobQuestion) {
  const { t } = useTranslation('bulk')
  const { t: engine } = useTranslation('engine')
  const words = useWords(definition)
  if (count === 0) return <p role="status">{t('none')}</p>
  return (
    <>
      {of !== undefined && of > count ? <p>{t('someOnly', { total: of })}</p> : null}
      {job.kind === 'delete' ? <p>{words.text('deleteText') ?? engine('action.deleteText')}</p> : null}
      {job.kind === 'edit' ? <EditFields definition={definition} /> : null}
      {job.kind === 'action' ? <Params definition={definition} named={job.named} /> : null}
      {needsTyping ? <Confirmation count={count} /> : null}
    </>
  )
}

function EditFields({ definition }: { definition: Definition }) {
  const { t } = useTranslation('bulk')
  const words = useWords(definition)
  const form = Form.useFormInstance()
  const names = bulkFields(definition, useRefusedFields(definition), useMayChoose())
  const watched: unknown = Form.useWatch(CHOSEN, form)
  const chosen = Array.isArray(watched) ? watched.map(String) : []
  const ways = (Form.useWatch(WAYS, form) as Row | undefined) ?? {}
  const asked = bulkDefinition(definition, chosen, ways)
  const isList = (name: string) => isListField(definition.fields[name])
  const plain = chosen.filter((name) => !isList(name))
  // A switch shows "off" before it is touched, and what it shows is what it must say.
  const handleChoice = (next: string[]) => {
    for (const name of next) {
      const field = definition.fields[name]
      const empty = field && kindOf(field.type).empty
      if (empty !== undefined && form.getFieldValue(name) === undefined) form.setFieldValue(name, empty)
    }
  }
  return (
    <>
      <Form.Item
        name={CHOSEN}
        label={t('fields')}
        extra={t('fieldsHint')}
        rules={[{ required: true, type: 'array', min: 1, message: t('chooseFields') }]}
      >
        <Select
          mode="multiple"
          options={names.map((name) => ({ value: name, label: words.field(name) }))}
          showSearch={{ optionFilterProp: 'label' }}
          onChange={handleChoice}
        />
      </Form.Item>
      {plain.length > 0 ? <FormFields definition={asked} sections={{ edit: plain }} /> : null}
      {chosen.filter(isList).map((name) => (
        <div key={name} className="k-bulk-list">
          <Form.Item name={[WAYS, name]} label={t('way', { field: words.field(name) })} initialValue="add">
            <Radio.Group options={LIST_WAYS.map((way) => ({ value: way, label: t(`ways.${way}`) }))} />
          </Form.Item>
          <FormFields definition={asked} sections={{ [name]: [name] }} />
        </div>
      ))}
    </>
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
