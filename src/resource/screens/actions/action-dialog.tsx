import { Form, Modal } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Row } from '@/data/rows'
import { type DialogProps, type MatchingRows, useEngineComponent } from '@/resource/engine-context'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { MissingComponent } from '@/resource/missing-component'
import type { NamedAction } from '@/resource/request/filter/actions'
import { recordTitle } from '@/resource/request/query/title'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { useActionRpc } from '@/resource/request/query/use-write'
import { clearErrors } from '@/resource/screens/form/clear-errors'
import { FormFields } from '@/resource/screens/form/form-fields'
import { newValues } from '@/resource/screens/form/form-values'
import { useSingleCall } from '@/ui/use-single-call'

interface ActionDialogProps {
  definition: Definition
  scope: ResourceScope
  named: NamedAction
  rows: readonly Row[]
  /** In place of rows, for an action that says `matching`. */
  matching?: MatchingRows
  onClose: () => void
  onDone: () => void
}

/** An action either has its own dialog, or calls a function after asking for parameters and confirmation. */
export function ActionDialog(props: ActionDialogProps) {
  const { component } = props.named.action
  if (component) return <OwnDialog {...props} component={component} />
  return <RpcDialog {...props} />
}

function OwnDialog({
  component,
  definition,
  named,
  rows,
  matching,
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
        onClose={onClose}
        onDone={onDone}
      />
    </Suspense>
  )
}

function RpcDialog({ definition, scope, named, rows, onClose, onDone }: ActionDialogProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const runRpc = useActionRpc(definition)
  const [form] = Form.useForm<Row>()
  const [isBusy, setBusy] = useState(false)
  const { action, name } = named
  const params = action.params ?? {}
  const hasParams = Object.keys(params).length > 0
  const label = words.action(name)
  const first = rows[0]
  const title = first ? recordTitle(definition, first) : ''
  const question = words.text('confirm', name)
  const records = rows.length > 1 || title === '' ? words.counted(rows.length) : title
  const asked = { ...definition, fields: params }

  const handleOk = useSingleCall(async () => {
    const values: Row = hasParams ? await form.validateFields() : {}
    // An empty parameter takes the function's own default.
    const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null))
    setBusy(true)
    const isDone = await runRpc(named, rows, given)
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
      {question === undefined ? null : <p>{question}</p>}
      {hasParams ? (
        <Form
          form={form}
          name={`action-${name}`}
          layout="vertical"
          initialValues={newValues(asked, scope.filter)}
          onValuesChange={(changed) => clearErrors(form, changed)}
        >
          <FormFields definition={asked} sections={{ params: Object.keys(params) }} />
        </Form>
      ) : null}
    </Modal>
  )
}
