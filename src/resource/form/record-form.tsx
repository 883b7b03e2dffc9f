import { useNotification } from '@refinedev/core'
import { Alert, Button, Form, Select } from 'antd'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { useDenialText } from '@/access/use-denial-text'
import { useVerdict } from '@/access/use-verdict'
import { CheckError, ConflictError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { useWords } from '@/resource/definition/words'
import { crossCheck } from '@/resource/form/check-record'
import { clearErrors } from '@/resource/form/clear-errors'
import { ConflictNotice } from '@/resource/form/conflict-notice'
import { ErrorSummary } from '@/resource/form/error-summary'
import { FormPanels } from '@/resource/form/form-panels'
import { changedFields, recordValues } from '@/resource/form/form-values'
import { fieldOfError } from '@/resource/form/server-errors'
import { useFormParts } from '@/resource/form/use-form-parts'
import { useProblemText } from '@/resource/form/use-problem-text'
import { type RecordSource, useRecordForm } from '@/resource/form/use-record-form'
import { recordTitle } from '@/resource/query/title'
import { useRefresh } from '@/resource/query/use-write'
import { useErrorText } from '@/resource/use-error-text'
import { LeaveGuard } from '@/ui/leave-guard'
import '@/resource/form/form.css'
import { useCompanyScope } from '@/session/use-company-scope'

type Save = { current: () => void }

/** With several open forms, the keys apply to the one that was opened last. */
const open: Save[] = []

function isSaveKey(event: KeyboardEvent): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return false
  return event.key.toLowerCase() === 's' || event.key === 'Enter'
}

/** Ctrl+S and Ctrl+Enter, or with Cmd, save instead of what the browser or an editor would do with them. */
function useSaveKey(onSave: () => void): void {
  const handler = useRef(onSave)
  useEffect(() => {
    handler.current = onSave
  })
  useEffect(() => {
    open.push(handler)
    const handleKey = (event: KeyboardEvent) => {
      if (!isSaveKey(event) || open.at(-1) !== handler) return
      event.preventDefault()
      event.stopPropagation()
      if (!event.repeat) handler.current()
    }
    // In the capture phase: a code editor would insert a line on Ctrl+Enter.
    window.addEventListener('keydown', handleKey, true)
    return () => {
      open.splice(open.indexOf(handler), 1)
      window.removeEventListener('keydown', handleKey, true)
    }
  }, [])
}

/** With all companies in view, a new record must say whose it is. */
function CompanyChoice() {
  const { t } = useTranslation('engine')
  const { companies } = useCompanyScope()
  return (
    <Form.Item
      name="company_id"
      label={t('form.company')}
      extra={t('form.chooseCompany')}
      rules={[{ required: true, message: t('check.required', { field: t('form.company') }) }]}
    >
      <Select
        aria-required
        showSearch={{ optionFilterProp: 'label' }}
        options={companies.map(({ id, name }) => ({ value: id, label: name }))}
      />
    </Form.Item>
  )
}

interface RecordFormProps extends RecordSource {
  /** Fields whose preset value is not to be changed. */
  fixed?: readonly string[]
  /** Reads the record again, after the lock was lost. */
  reload?: () => Promise<Row | undefined>
  /** Distinguishes the fields of a form in a dialog from those of the form under it. */
  name?: string
  onSaved: (saved: Row) => void
  onCancel: () => void
  /** Receives a function that tells whether changes would be lost, for a dialog about to close. */
  dirtyRef?: RefObject<() => boolean>
}

/** The form itself, on a page or in a dialog. */
export function RecordForm(props: RecordFormProps) {
  const { fixed, reload, name, onSaved, onCancel, dirtyRef, ...source } = props
  const { definition, record } = source
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const problemText = useProblemText(definition, words)
  const { open } = useNotification()
  const errorText = useErrorText()
  const denialText = useDenialText()
  const refresh = useRefresh(definition)
  const state = useRecordForm(source)
  const { form, theirs } = state
  const parts = useFormParts(definition, form, name)
  const [isSaving, setSaving] = useState(false)
  const [isComparing, setComparing] = useState(false)
  /** Why the last save failed, unless a field of the form says it. */
  const [failure, setFailure] = useState<string | null>(null)
  // Saved after the form has taken the newer version, not before.
  const isToSave = useRef(false)
  useEffect(() => {
    if (theirs || isSaving || !isToSave.current) return
    isToSave.current = false
    form.submit()
  }, [theirs, isSaving, form])
  const verb = record ? 'edit' : 'create'
  const verdict = useVerdict(definition.name, verb)

  useEffect(() => {
    if (dirtyRef) dirtyRef.current = state.isDirty
  }, [dirtyRef, state.isDirty])

  const handleFailure = async (error: unknown) => {
    if (error instanceof ConflictError) {
      // The newer version arrives as this form's record, with the notice.
      const newer = await reload?.()
      const values = newer && recordValues(definition, newer)
      // A machine changed a column that no form shows: there is nothing to decide, and the save overwrites
      // it.
      if (values && changedFields(definition, state.base, values).length === 0) isToSave.current = true
      else setComparing(true)
      return
    }
    const values = form.getFieldsValue(true) as Row
    const field = fieldOfError(definition, error, values)
    const cross = field && error instanceof CheckError ? crossCheck(definition, field) : null
    const text = field && cross ? problemText(cross, field) : errorText(error, t('form.failed'))
    if (field && form.getFieldsError().some(({ name: [shown] }) => shown === field)) {
      form.setFields([{ name: field, errors: [text] }])
      parts.reveal(field)
      return
    }
    const reason = field ? t('form.notShown', { field: words.field(field), reason: text }) : text
    setFailure(reason)
    open?.({ type: 'error', message: t('form.failed'), description: reason })
  }

  const handleFinish = async () => {
    if (isSaving || !verdict.allowed) return
    if (theirs) return setComparing(true)
    setSaving(true)
    setFailure(null)
    try {
      const saved = await state.write()
      open?.({
        type: 'success',
        message: t(record ? 'form.saved' : 'form.created', { title: recordTitle(definition, saved) }),
      })
      state.markDone()
      void refresh()
      onSaved(saved)
    } catch (error) {
      await handleFailure(error)
    } finally {
      setSaving(false)
    }
  }

  // After either decision, the next newer version is announced quietly again.
  const decide = (choose: () => void) => {
    setComparing(false)
    choose()
  }

  const isWizard = parts.layout.kind === 'steps' && record === undefined
  const mustGoOn = isWizard && !parts.isLast
  useSaveKey(() => (mustGoOn ? void parts.goOn() : form.submit()))
  return (
    <>
      {dirtyRef ? null : (
        <LeaveGuard
          loss="changes"
          isLost={state.isDirty}
          title={t('form.leaveTitle')}
          text={t('form.leaveText')}
        />
      )}
      {verdict.allowed ? null : (
        <Alert className="k-form-notice" type="info" showIcon title={denialText(verdict.reason)} />
      )}
      {theirs && record ? (
        <ConflictNotice
          {...{ definition, words, theirs, isComparing, base: state.base, mine: state.read() }}
          id={String(record.id)}
          refused={state.refused}
          onTakeTheirs={() => decide(state.takeTheirs)}
          onKeepMine={() => decide(state.keepMine)}
          onCompare={() => setComparing(true)}
          onClose={() => setComparing(false)}
          onMerge={(values) =>
            decide(() => {
              isToSave.current = true
              state.merge(values)
            })
          }
        />
      ) : null}
      <Form<Row>
        form={form}
        name={name}
        layout="vertical"
        className="k-form"
        initialValues={state.initialValues}
        disabled={!verdict.allowed}
        noValidate
        onValuesChange={(changed) => clearErrors(form, changed)}
        onFieldsChange={parts.followErrors}
        onFinish={() => void handleFinish()}
        onFinishFailed={({ errorFields }) => {
          parts.fail(errorFields)
          open?.({ type: 'error', message: t('form.failed'), description: t('form.fix') })
        }}
      >
        {state.needsCompany ? <CompanyChoice /> : null}
        {failure === null ? null : (
          <Alert
            className="k-form-notice"
            type="error"
            showIcon
            role="alert"
            title={t('form.failed')}
            description={failure}
          />
        )}
        <ErrorSummary parts={parts} words={words} />
        <FormPanels
          definition={definition}
          words={words}
          parts={parts}
          isWizard={isWizard}
          row={record}
          fixed={fixed}
          disabled={!verdict.allowed}
        />
        <div className="k-form-end">
          {mustGoOn ? (
            <Button type="primary" disabled={false} onClick={() => void parts.goOn()}>
              {t('form.next')}
            </Button>
          ) : (
            <GuardedButton
              resource={definition.name}
              action={verb}
              type="primary"
              htmlType="submit"
              loading={isSaving}
              disabled={theirs !== null}
            >
              {record ? t('form.save') : t('form.create')}
            </GuardedButton>
          )}
          {isWizard && !parts.isFirst ? (
            <Button disabled={false} onClick={parts.goBack}>
              {t('form.previous')}
            </Button>
          ) : null}
          <Button disabled={false} onClick={onCancel}>
            {t('form.cancel')}
          </Button>
        </div>
      </Form>
    </>
  )
}
