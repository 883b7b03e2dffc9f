import { useNotification } from '@refinedev/core'
import { Alert, Button, Form, Select } from 'antd'
import { type ReactNode, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { useCan, useDenialText } from '@/access/use-can'
import { ConflictError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { useCache } from '@/refine/use-cache'
import { useWords } from '@/resource/language/words'
import { recordTitle } from '@/resource/request/query/title'
import { useLockText } from '@/resource/request/query/use-lock-text'
import { showSaved } from '@/resource/request/query/use-record-query'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { useRefresh } from '@/resource/request/query/use-write'
import { ChildLists, useChildren } from '@/resource/screens/form/children/child-lists'
import { clearErrors } from '@/resource/screens/form/clear-errors'
import { ConflictNotice } from '@/resource/screens/form/conflict-notice'
import { ErrorSummary, FormPanels } from '@/resource/screens/form/form-panels'
import { changedFields, recordValues } from '@/resource/screens/form/form-values'
import { fieldOfError } from '@/resource/screens/form/server-errors'
import { useFormParts } from '@/resource/screens/form/use-form-parts'
import { useReadTitle } from '@/resource/screens/form/use-read-title'
import { type RecordSource, useRecordForm } from '@/resource/screens/form/use-record-form'
import { useRefusalText } from '@/resource/screens/form/use-refusal-text'
import { useSaveKey } from '@/resource/screens/form/use-save-key'
import { LeaveGuard } from '@/ui/leave-guard'
import '@/resource/screens/form/form.css'
import { useCompanyScope } from '@/session/use-company-scope'
import { useSingleCall } from '@/ui/use-single-call'

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
  /** Shown below the fields, above the buttons. */
  extra?: ReactNode
  /** Whether `extra` holds something that leaving would lose. */
  isExtraDirty?: () => boolean
  /** Called once the record is saved, before the page is left; a rejection keeps the form open. */
  afterSave?: (saved: Row) => Promise<void>
  /** Receives a function that tells whether changes would be lost, for a dialog about to close. */
  dirtyRef?: RefObject<() => boolean>
  /** Whether it adds a record to another one, such as a link: its title alone would say that the other one was created. */
  isPart?: boolean
}

/** The toast that points to the marked fields. */
const FIX = 'form-fix'

/** The form itself, on a page or in a dialog. */
export function RecordForm(props: RecordFormProps) {
  const {
    fixed,
    reload,
    name,
    onSaved,
    onCancel,
    dirtyRef,
    isPart = false,
    extra,
    isExtraDirty,
    afterSave,
    ...source
  } = props
  const { definition, record } = source
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const { open, close } = useNotification()
  const refusalText = useRefusalText(definition, words)
  const denialText = useDenialText()
  const refresh = useRefresh(definition)
  const readTitle = useReadTitle(definition)
  const cache = useCache()
  const scope = useResourceScope()
  const state = useRecordForm(source)
  const { form, theirs } = state
  const parts = useFormParts(definition, form, name)
  const [isSaving, setSaving] = useState(false)
  const [isComparing, setComparing] = useState(false)
  /** The part of the last save that failed, and the reason, unless a field of the form says it. */
  const [failure, setFailure] = useState<{ title: string; text: string } | null>(null)
  // Saved after the form has taken the newer version, not before.
  const isToSave = useRef(false)
  useEffect(() => {
    if (theirs || isSaving || !isToSave.current) return
    isToSave.current = false
    form.submit()
  }, [theirs, isSaving, form])
  const verb = record ? 'edit' : 'create'
  const can = useCan()
  const verdict = can(definition.name, verb, record ?? undefined)
  // A record that is locked while somebody edits it keeps the typed values in sight.
  const lockText = useLockText(definition, scope)
  const locked = record && lockText(record)
  const refusal = verdict.allowed ? locked : denialText(verdict.reason)
  const isRefused = refusal !== undefined
  const children = useChildren()
  const isFormDirty = state.isDirty
  const isDirty = useCallback(
    () => isFormDirty() || children.isDirty() || isExtraDirty?.() === true,
    [isFormDirty, children.isDirty, isExtraDirty],
  )

  useEffect(() => {
    if (dirtyRef) dirtyRef.current = isDirty
  }, [dirtyRef, isDirty])

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
    const text = refusalText(error, field, t('form.failed'))
    if (field && form.getFieldsError().some(({ name: [shown] }) => shown === field)) {
      form.setFields([{ name: field, errors: [text] }])
      parts.reveal(field)
      return
    }
    const reason = field ? t('form.notShown', { field: words.field(field), reason: text }) : text
    setFailure({ title: t('form.failed'), text: reason })
  }

  // The button that was pressed may be far below it.
  const showNotice = useCallback(
    (notice: HTMLElement | null) => notice?.scrollIntoView?.({ block: 'nearest' }),
    [],
  )

  const sayFix = () =>
    void open?.({ key: FIX, type: 'error', message: t('form.failed'), description: t('form.fix') })

  const handleFinish = useSingleCall(async () => {
    if (isSaving || isRefused) return
    if (theirs) return setComparing(true)
    if (!children.check()) return sayFix()
    setSaving(true)
    setFailure(null)
    try {
      const saved = await state.write()
      const refused = await children.save(saved)
      if (refused !== null)
        return setFailure({
          title: t('children.failed', { name: refused }),
          text: t('children.failedText'),
        })
      await afterSave?.(saved)
      const titled = await readTitle(saved)
      open?.({
        type: 'success',
        message: t(record ? 'form.saved' : isPart ? 'form.added' : 'form.created', {
          title: recordTitle(definition, titled),
          name: words.one,
        }),
      })
      state.markDone()
      if (record) showSaved(cache, definition, scope, saved)
      void refresh()
      onSaved(saved)
    } catch (error) {
      await handleFailure(error)
    } finally {
      setSaving(false)
    }
  })

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
        <LeaveGuard loss="changes" isLost={isDirty} title={t('form.leaveTitle')} text={t('form.leaveText')} />
      )}
      {isRefused ? <Alert className="k-form-notice" type="info" showIcon title={refusal} /> : null}
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
        disabled={isRefused}
        noValidate
        onValuesChange={(changed) => {
          // The fields show their own errors.
          close?.(FIX)
          clearErrors(form, changed)
        }}
        onFieldsChange={parts.followErrors}
        onFinish={() => void handleFinish()}
        onFinishFailed={({ errorFields }) => {
          children.check()
          parts.fail(errorFields)
          sayFix()
        }}
      >
        {state.needsCompany ? <CompanyChoice /> : null}
        {failure === null ? null : (
          <div ref={showNotice}>
            <Alert
              className="k-form-notice"
              type="error"
              showIcon
              role="alert"
              title={failure.title}
              description={failure.text}
            />
          </div>
        )}
        <ErrorSummary parts={parts} words={words} />
        <FormPanels
          definition={definition}
          words={words}
          parts={parts}
          isWizard={isWizard}
          row={record}
          fixed={fixed}
          disabled={isRefused}
        />
        <div hidden={mustGoOn}>
          <ChildLists
            {...{ definition, record, companyId: source.companyId, register: children.register }}
            disabled={isRefused}
          />
        </div>
        {extra}
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
              disabled={theirs !== null || isRefused}
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
