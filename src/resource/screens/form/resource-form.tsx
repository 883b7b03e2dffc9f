import { Alert, Button, Form } from 'antd'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { useDenialText } from '@/access/use-denial-text'
import { useVerdict } from '@/access/use-verdict'
import { ConflictError } from '@/data/errors'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { hasShow, listPath, showPath } from '@/resource/definition/naming'
import { recordTitle } from '@/resource/queries/title'
import { useResourceScope } from '@/resource/queries/use-scope'
import { useInvalidate, useSaveRecord } from '@/resource/queries/use-write'
import { CompanyChoice } from '@/resource/screens/form/company-choice'
import { ConflictNotice } from '@/resource/screens/form/conflict-notice'
import { FormFields } from '@/resource/screens/form/form-fields'
import { formSections } from '@/resource/screens/form/form-sections'
import {
  changedFields,
  columnValues,
  mergeMine,
  newValues,
  recordValues,
} from '@/resource/screens/form/form-values'
import { LeaveGuard } from '@/resource/screens/form/leave-guard'
import { saveLinks } from '@/resource/screens/form/save-record'
import { fieldOfError } from '@/resource/screens/form/server-errors'
import { useSaveKey } from '@/resource/screens/form/use-save-key'
import { returnPath } from '@/resource/screens/return-path'
import { useErrorText } from '@/resource/use-error-text'
import { useWords } from '@/resource/words'
import { useNotify } from '@/ui/notify'
import { PageHeader } from '@/ui/page-header'
import '@/resource/screens/form/form.css'

interface ResourceFormProps {
  definition: Definition
  /** The record as it stands in the database now; absent for a new one. Newer versions arrive while it is edited. */
  record?: Row
  /** Reads the record again, after the lock was lost. */
  reload?: () => Promise<Row | undefined>
}

interface Base {
  values: Row
  version: number | undefined
}

function versionOf(record: Row | undefined): number | undefined {
  return typeof record?.version === 'number' ? record.version : undefined
}

export function ResourceForm({ definition, record, reload }: ResourceFormProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const scope = useResourceScope()
  const notify = useNotify()
  const navigate = useNavigate()
  const location = useLocation()
  const errorText = useErrorText()
  const denialText = useDenialText()
  const [form] = Form.useForm<Row>()
  const save = useSaveRecord(definition, scope)
  const invalidate = useInvalidate(definition, scope)
  const verb = record ? 'edit' : 'create'
  const verdict = useVerdict(definition.name, verb)
  // What the form was opened with: changes are counted from it, and its version is the lock.
  const [base, setBase] = useState<Base>(() => ({
    values: record ? recordValues(definition, record) : newValues(definition, scope.filter),
    version: definition.lock === false ? undefined : versionOf(record),
  }))
  const [isSaving, setSaving] = useState(false)
  const isDone = useRef(false)
  const needsCompany = !record && definition.tenant !== false && scope.companyId === null

  const isDirty = useCallback(
    () =>
      !isDone.current && changedFields(definition, base.values, form.getFieldsValue(true) as Row).length > 0,
    [definition, base, form],
  )
  const isOvertaken =
    !isSaving && record !== undefined && base.version !== undefined && versionOf(record) !== base.version
  const theirs = isOvertaken ? recordValues(definition, record) : null
  // Nobody has typed yet: the newer version simply takes the old one's place.
  useEffect(() => {
    if (!theirs || isDirty()) return
    form.setFieldsValue(theirs)
    setBase({ values: theirs, version: versionOf(record) })
  }, [theirs, isDirty, form, record])

  const adopt = (values: Row) => {
    form.setFieldsValue(values)
    setBase({ values: theirs ?? base.values, version: versionOf(record) })
  }
  const leave = (to: string) => {
    isDone.current = true
    navigate(to)
  }

  const write = async (values: Row): Promise<Row> => {
    const changed = record ? changedFields(definition, base.values, values) : Object.keys(base.values)
    const columns = columnValues(definition, changed, values)
    const companyId = String(record?.company_id ?? values.company_id ?? scope.companyId ?? '')
    let saved: Row = record ?? {}
    if (!record) {
      const tenant = definition.tenant === false ? {} : { company_id: companyId }
      saved = await save.mutateAsync({ values: { ...columns, ...tenant } })
    } else if (Object.keys(columns).length > 0)
      saved = await save.mutateAsync({ id: String(record.id), values: columns, version: base.version })
    await saveLinks(definition, { id: String(saved.id), companyId }, changed, base.values, values)
    return saved
  }

  const handleFinish = async () => {
    if (isSaving || !verdict.allowed) return
    const values = form.getFieldsValue(true) as Row
    setSaving(true)
    try {
      const saved = await write(values)
      const title = recordTitle(definition, { ...saved, ...values, id: saved.id })
      notify({ type: 'success', title: t(record ? 'form.saved' : 'form.created', { title }) })
      void invalidate()
      leave(
        hasShow(definition)
          ? showPath(definition, String(saved.id))
          : returnPath(location.state, listPath(definition)),
      )
    } catch (error) {
      await handleFailure(error)
    } finally {
      setSaving(false)
    }
  }

  const handleFailure = async (error: unknown) => {
    if (error instanceof ConflictError) {
      // The newer version comes as this form's record, and the notice with it.
      await reload?.()
      return
    }
    const field = fieldOfError(definition, error)
    const text = errorText(error, t('form.failed'))
    if (field) {
      form.setFields([{ name: field, errors: [text] }])
      form.scrollToField(field, { focus: true })
    } else notify({ type: 'error', title: t('form.failed'), description: text })
  }

  // A line of error that only went on leaving the field would move the button from under the pointer that presses it.
  const clearErrors = (changed: Row) => {
    const stale = Object.keys(changed).filter((name) => form.getFieldError(name).length > 0)
    if (stale.length > 0) form.setFields(stale.map((name) => ({ name, errors: [] })))
  }

  useSaveKey(() => form.submit())
  const back = record && hasShow(definition) ? showPath(definition, String(record.id)) : listPath(definition)
  return (
    <div className="k-form-page">
      <PageHeader
        title={
          record
            ? t('form.editTitle', { title: recordTitle(definition, record) })
            : t('form.createTitle', { name: words.one })
        }
      />
      {verdict.allowed ? null : (
        <Alert className="k-form-notice" type="info" showIcon title={denialText(verdict.reason)} />
      )}
      {theirs ? (
        <ConflictNotice
          fields={changedFields(definition, base.values, theirs).map(words.field)}
          onTakeTheirs={() => adopt(theirs)}
          onKeepMine={() =>
            adopt(mergeMine(definition, base.values, form.getFieldsValue(true) as Row, theirs))
          }
        />
      ) : null}
      <Form<Row>
        form={form}
        layout="vertical"
        className="k-form"
        initialValues={base.values}
        disabled={!verdict.allowed}
        noValidate
        scrollToFirstError={{ focus: true }}
        onValuesChange={clearErrors}
        onFinish={() => void handleFinish()}
        onFinishFailed={() => notify({ type: 'error', title: t('form.failed'), description: t('form.fix') })}
      >
        {needsCompany ? <CompanyChoice /> : null}
        <FormFields
          definition={definition}
          sections={formSections(definition)}
          isExisting={record !== undefined}
          disabled={!verdict.allowed}
        />
        <div className="k-form-end">
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
          <Button disabled={false} onClick={() => navigate(returnPath(location.state, back))}>
            {t('form.cancel')}
          </Button>
        </div>
      </Form>
      <LeaveGuard isDirty={isDirty} />
    </div>
  )
}
