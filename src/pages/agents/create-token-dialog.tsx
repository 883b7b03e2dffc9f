import { useModalForm } from '@refinedev/antd'
import { type HttpError, useSelect } from '@refinedev/core'
import { Alert, Button, Checkbox, Form, type FormInstance, Input, InputNumber, Modal, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { FunctionArgs, TableRow } from '@/data/database'
import { FirstCompany, useNeedsCompany } from '@/resource/screens/list/first-company'
import { useErrorText } from '@/resource/use-error-text'
import { SeatsNotice } from '@/session/seats-notice'
import { useCompanyScope } from '@/session/use-company-scope'
import { useSingleCall } from '@/ui/use-single-call'
import css from './agents.module.css'
import { EXPIRIES, type Expiry, expiryAt } from './expiry'
import { InstallLines } from './install-lines-view'
import { JoinWatch, type WatchedToken } from './join-watch'

const MAX_GROUPS = 500
const MAX_USES = 100_000

type Values = {
  companyId?: string
  name: string
  groupId?: string
  expiry: Expiry
  maxUses?: number | null
  requiresApproval?: boolean
}

/** The only time the token itself is shown; the database stores its hash. */
type CreatedToken = { id: string; token: string }

type NewToken = { [Key in keyof FunctionArgs<'create_enrollment_token'>]: string | number | boolean | null }

const toNewToken = (companyId: string, values: Values): NewToken => ({
  company_id: companyId,
  name: values.name.trim(),
  group_id: values.groupId ?? null,
  expires_at: expiryAt(values.expiry, Date.now()),
  max_uses: values.maxUses ?? null,
  requires_approval: values.requiresApproval ?? false,
})

interface CreateTokenDialogProps {
  onCreated: (token: WatchedToken) => void
  onClose: () => void
}

/**
 * Asks for the token's options, then shows it once with its install commands and the devices that enroll with
 * it.
 */
export function CreateTokenDialog({ onCreated, onClose }: CreateTokenDialogProps) {
  const { t } = useTranslation('agents')
  const scope = useCompanyScope()
  const needsCompany = useNeedsCompany()
  const [created, setCreated] = useState<(WatchedToken & CreatedToken) | null>(null)
  const { modalProps, form, onFinish, mutation } = useModalForm<CreatedToken, HttpError, NewToken>({
    resource: 'enrollment_tokens',
    action: 'create',
    meta: { createBy: 'create_enrollment_token' },
    defaultVisible: true,
    redirect: false,
    invalidates: ['resourceAll'],
    successNotification: false,
    errorNotification: false,
  })
  const save = useSingleCall(async (values: Values) => {
    const companyId = scope.companyId ?? values.companyId
    if (!companyId) return
    try {
      const answer = await onFinish(toNewToken(companyId, values))
      if (!answer?.data) return
      const { id, token } = answer.data as CreatedToken
      const watched = { id, name: values.name.trim() }
      setCreated({ ...watched, token })
      onCreated(watched)
    } catch {
      // The form tells why, from `mutation.error`.
    }
  })
  return (
    <Modal
      {...modalProps}
      title={created === null ? t('create.title') : t('created.title')}
      onCancel={onClose}
      footer={null}
      width={created === null ? 520 : 760}
      // The token is shown once: a click outside the dialog must not close it.
      keyboard={created === null}
    >
      {created === null && needsCompany ? (
        <FirstCompany />
      ) : created === null ? (
        <CreateTokenForm
          // The form's fields become the function's arguments in `save`.
          form={form as unknown as FormInstance<Values>}
          isSaving={mutation.isPending}
          failure={mutation.error}
          onSave={save}
          onClose={onClose}
        />
      ) : (
        <div className="l-stack-16">
          <Alert type="warning" showIcon title={t('created.once')} />
          <InstallLines token={created.token} />
          <JoinWatch token={created} />
          <div className={css.end}>
            <Button type="primary" onClick={onClose}>
              {t('created.done')}
            </Button>
          </div>
        </div>
      )}
    </Modal>
  )
}

interface CreateTokenFormProps {
  form: FormInstance<Values>
  isSaving: boolean
  failure: HttpError | null
  onSave: (values: Values) => void
  onClose: () => void
}

function CreateTokenForm({ form, isSaving, failure, onSave, onClose }: CreateTokenFormProps) {
  const { t } = useTranslation('agents')
  const errorText = useErrorText()
  const scope = useCompanyScope()
  const chosen = Form.useWatch('companyId', form)
  const companyId = scope.companyId ?? chosen ?? null
  // The options come from the query's data: the hook's `options` outlive the company they belong to.
  const { query: groups } = useSelect<Pick<TableRow<'groups'>, 'id' | 'name'>>({
    resource: 'groups',
    sorters: [{ field: 'name_key', order: 'asc' }],
    pagination: { mode: 'off' },
    meta: { companyId, select: 'id,name', limit: MAX_GROUPS, count: 'none' },
    queryOptions: { enabled: companyId !== null },
  })

  return (
    <Form<Values>
      form={form}
      layout="vertical"
      requiredMark="optional"
      disabled={isSaving}
      initialValues={{ name: '', expiry: '7d', maxUses: null }}
      onFinish={onSave}
    >
      {scope.companyId === null ? (
        <Form.Item
          name="companyId"
          label={t('create.company')}
          rules={[{ required: true, message: t('create.companyRequired') }]}
        >
          <Select
            options={scope.companies.map(({ id, name }) => ({ value: id, label: name }))}
            showSearch={{ optionFilterProp: 'label' }}
            placeholder={t('create.companyPlaceholder')}
            onChange={() => form.setFieldValue('groupId', undefined)}
          />
        </Form.Item>
      ) : null}
      {companyId === null ? null : <SeatsNotice companyId={companyId} isEnrolling />}
      <Form.Item
        name="name"
        label={t('create.name')}
        extra={t('create.nameHint')}
        rules={[{ required: true, whitespace: true, max: 120, message: t('create.nameRequired') }]}
      >
        <Input autoComplete="off" maxLength={120} />
      </Form.Item>
      <Form.Item name="groupId" label={t('create.group')} extra={t('create.groupHint')}>
        <Select
          allowClear
          disabled={companyId === null}
          loading={groups.isFetching}
          showSearch={{ optionFilterProp: 'label' }}
          placeholder={t('create.noGroup')}
          notFoundContent={groups.isError ? errorText(groups.error) : t('create.noGroups')}
          options={(groups.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Form.Item>
      <Form.Item name="expiry" label={t('create.expiry')} rules={[{ required: true }]}>
        <Select options={EXPIRIES.map((expiry) => ({ value: expiry, label: t(`expiry.${expiry}`) }))} />
      </Form.Item>
      <Form.Item
        name="maxUses"
        label={t('create.maxUses')}
        extra={t('create.maxUsesHint')}
        rules={[{ type: 'integer', min: 1, max: MAX_USES, message: t('create.maxUsesRange') }]}
      >
        {/* The input has no min and max, because they would replace an entry silently. */}
        <InputNumber className="l-full" />
      </Form.Item>
      <Form.Item name="requiresApproval" valuePropName="checked" extra={t('create.approvalHint')}>
        <Checkbox>{t('create.approval')}</Checkbox>
      </Form.Item>
      {failure === null ? null : (
        <Alert type="error" showIcon title={errorText(failure, t('create.failed'))} className="l-above" />
      )}
      <div className="l-buttons-end">
        <Button onClick={onClose}>{t('create.cancel')}</Button>
        <Button type="primary" htmlType="submit" loading={isSaving}>
          {t('create.submit')}
        </Button>
      </div>
    </Form>
  )
}
