import { useNotification } from '@refinedev/core'
import { Form, Modal } from 'antd'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useCache } from '@/refine/use-cache'
import { useRpc } from '@/refine/use-rpc'
import { type DialogProps, type MatchingRows, useEngineComponent } from '@/resource/engine-context'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { MissingComponent } from '@/resource/missing-component'
import { QueryState } from '@/resource/query-state'
import {
  actForms,
  idArguments,
  isImmediate,
  isOffered,
  type NamedAction,
  rpcCalls,
} from '@/resource/request/filter/actions'
import { recordTitle } from '@/resource/request/query/title'
import { readAgain } from '@/resource/request/query/use-record-query'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { useActionRpc } from '@/resource/request/query/use-write'
import { RecordFacts } from '@/resource/screens/actions/record-facts'
import { clearErrors } from '@/resource/screens/form/clear-errors'
import { FormFields } from '@/resource/screens/form/form-fields'
import { newValues } from '@/resource/screens/form/form-values'
import { fieldsOfError } from '@/resource/screens/form/server-errors'
import { useErrorText } from '@/resource/use-error-text'
import { useSingleCall } from '@/ui/use-single-call'
import '@/resource/screens/actions/actions.css'

interface ActionDialogProps {
  definition: Definition
  scope: ResourceScope
  named: NamedAction
  rows: readonly Row[]
  /** In place of rows, for an action that says `matching`. */
  matching?: MatchingRows
  comment?: string | undefined
  /** Arguments of its function besides those that it declares. */
  given?: Row | undefined
  doneText?: string | undefined
  onClose: () => void
  onDone: () => void
}

/** An action either has its own dialog, or calls a function after asking for parameters and confirmation. */
export function ActionDialog(props: ActionDialogProps) {
  const { component } = props.named.action
  const words = useWords(props.definition)
  if (component) return <OwnDialog {...props} component={component} />
  const forms = actForms(props.definition, props.named, words.action)
  return props.rows.length === 1 && forms.some(({ action }) => action.shows) ? (
    <FreshDialog {...props} forms={forms} />
  ) : (
    <RpcDialog {...props} />
  )
}

/**
 * Reads the record again before it names the open parts: somebody may have decided since the page was read. The action then
 * takes the form that it has for the record now, which may ask nothing.
 */
function FreshDialog({ forms, ...props }: ActionDialogProps & { forms: readonly NamedAction[] }) {
  const { definition, scope, named, rows, comment, given, doneText, onClose, onDone } = props
  const { t } = useTranslation('engine')
  const cache = useCache()
  const words = useWords(definition)
  const runRpc = useActionRpc(definition)
  const { open } = useNotification()
  const [fresh, setFresh] = useState<{ named: NamedAction; rows: readonly Row[] } | null>(null)
  const begin = useSingleCall(async () => {
    const record = await readAgain(cache, definition, scope, rows[0] ?? {})
    const isFit = ({ action }: NamedAction) => isOffered(definition, action, record, scope.filter)
    const now = isFit(named) ? named : forms.find(isFit)
    if (!now) {
      open?.({ type: 'error', message: words.text('notNow', named.name) ?? t('action.notNow') })
      onClose()
    } else if (!isImmediate(now)) setFresh({ named: now, rows: [record] })
    else if (await runRpc(now, [record], given ?? {}, { comment, doneText })) onDone()
    else onClose()
  })
  const isBegun = useRef(false)
  useEffect(() => {
    if (isBegun.current) return
    isBegun.current = true
    void begin()
  }, [begin])
  return fresh ? <RpcDialog {...props} {...fresh} /> : null
}

function OwnDialog({
  component,
  definition,
  named,
  rows,
  matching,
  comment,
  onClose,
  onDone,
}: ActionDialogProps & { component: string }) {
  const Dialog = useEngineComponent<DialogProps>(component)
  if (!Dialog) return <MissingComponent component={component} />
  return (
    <Suspense fallback={null}>
      <Dialog
        records={rows}
        resource={definition.name}
        action={named.name}
        {...(matching ? { matching } : {})}
        {...(comment ? { comment } : {})}
        onClose={onClose}
        onDone={onDone}
      />
    </Suspense>
  )
}

/** A ticket is not merged into itself: pickers of the same resource leave out the records that the action is about. */
function withoutChosen(definition: Definition, params: Definition['fields'], rows: readonly Row[]) {
  const ids = rows.map((row) => String(row.id))
  return Object.fromEntries(
    Object.entries(params).map(([name, field]) =>
      field.type === 'relation' && field.to === definition.name
        ? [name, { ...field, where: { _and: [{ id: { _nin: ids } }, field.where ?? {}] } }]
        : [name, field],
    ),
  )
}

interface QuestionProps {
  definition: Definition
  named: NamedAction
  rows: readonly Row[]
}

/** The effects of the action beyond its records, as its function counts them; a count of zero is left out. */
function Effects({ definition, named: { action }, rows, rpc }: QuestionProps & { rpc: string }) {
  const words = useWords(definition)
  const language = useLanguage()
  const [args = {}] = rpcCalls({ ...action, args: idArguments(action) }, rows, {})
  const query = useRpc<Record<string, number>>({ name: rpc, resource: definition.name, args })
  if (!query.data) return <QueryState query={query} rows={2} />
  const effects = Object.entries(query.data).flatMap(([key, count]) => {
    const text = words.text('effects', rpc, `${key}_${count === 1 ? 'one' : 'other'}`)
    return count > 0 && text !== undefined
      ? [{ key, text: text.replace('{{count}}', formatNumber(count, language)) }]
      : []
  })
  return effects.length > 0 ? (
    <ul className="k-action-effects">
      {effects.map(({ key, text }) => (
        <li key={key}>{text}</li>
      ))}
    </ul>
  ) : null
}

/** The question of an action, and the facts to answer it by. */
function Question({ definition, named, rows }: QuestionProps) {
  const { name, action } = named
  const question = useWords(definition).text('confirm', name)
  return (
    <>
      {question === undefined ? null : <p>{question}</p>}
      {action.effects ? <Effects {...{ definition, named, rows }} rpc={action.effects} /> : null}
      {action.shows ? (
        <div className="k-action-facts">
          {rows.map((row) => (
            <RecordFacts
              key={String(row.id)}
              {...{ definition, row }}
              shows={action.shows ?? []}
              title={rows.length > 1 ? <strong>{recordTitle(definition, row)}</strong> : null}
            />
          ))}
        </div>
      ) : null}
    </>
  )
}

function RpcDialog({
  definition,
  scope,
  named,
  rows,
  comment,
  given: preset,
  doneText,
  onClose,
  onDone,
}: ActionDialogProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const runRpc = useActionRpc(definition)
  const errorText = useErrorText()
  const [form] = Form.useForm<Row>()
  const [isBusy, setBusy] = useState(false)
  const { action, name } = named
  const params = action.params ?? {}
  const hasParams = Object.keys(params).length > 0
  const label = words.action(name)
  const first = rows[0]
  const title = first ? recordTitle(definition, first) : ''
  const records = rows.length > 1 || title === '' ? words.counted(rows.length) : title
  const asked = { ...definition, fields: withoutChosen(definition, params, rows) }
  const refused = useRef<readonly string[]>([])

  const handleOk = useSingleCall(async () => {
    const values: Row = hasParams ? await form.validateFields() : {}
    // An empty parameter takes the function's own default.
    const answers = Object.entries(values).filter(([, value]) => value !== null)
    const given = { ...preset, ...Object.fromEntries(answers) }
    setBusy(true)
    const isShown = (error: unknown) => {
      refused.current = fieldsOfError(asked, error, given)
      form.setFields(refused.current.map((field) => ({ name: field, errors: [errorText(error)] })))
      return refused.current.length > 0
    }
    const isDone = await runRpc(named, rows, given, { comment, isShown, doneText })
    setBusy(false)
    if (isDone) onDone()
  })
  return (
    <Modal
      open
      title={t('action.confirmTitle', { action: label, records })}
      okText={label}
      cancelText={t('action.cancel')}
      okButtonProps={{ danger: action.danger === true }}
      confirmLoading={isBusy}
      onOk={() => void handleOk().catch(() => undefined)}
      onCancel={onClose}
    >
      <Question definition={definition} named={named} rows={rows} />
      {hasParams ? (
        <Form
          form={form}
          name={`action-${name}`}
          layout="vertical"
          initialValues={newValues(asked, scope.filter)}
          onValuesChange={(changed: Row) => {
            // A value in one of the fields that were refused together answers for all of them.
            const isAnswer = refused.current.some((field) => field in changed)
            clearErrors(form, isAnswer ? form.getFieldsValue(refused.current as string[]) : {})
            clearErrors(form, changed)
          }}
        >
          <FormFields definition={asked} sections={{ params: Object.keys(params) }} />
        </Form>
      ) : null}
    </Modal>
  )
}

interface SetDialogProps {
  definition: Definition
  named: NamedAction
  /** The field that is set. */
  name: string
  record: Row
  okText: string
  onAnswer: (isYes: boolean) => void
}

/** The question of an action before a field is set by hand to a value that the action is about. */
export function SetDialog({ definition, named, name, record, okText, onAnswer }: SetDialogProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  return (
    <Modal
      open
      title={t('action.confirmTitle', {
        action: t('show.setField', { field: words.field(name) }),
        records: recordTitle(definition, record),
      })}
      okText={okText}
      cancelText={t('action.cancel')}
      okButtonProps={{ danger: named.action.danger === true }}
      onOk={() => onAnswer(true)}
      onCancel={() => onAnswer(false)}
    >
      <Question definition={definition} named={named} rows={[record]} />
    </Modal>
  )
}
