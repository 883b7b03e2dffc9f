import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Alert, Button, Checkbox, Form, Input, InputNumber, Modal, Select } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { tableKey } from '@/resource/queries/keys'
import { useErrorText } from '@/resource/use-error-text'
import { useCompanyScope } from '@/session/use-company-scope'
import { createToken, readGroups } from './agent-data'
import { EXPIRIES, type Expiry, expiryAt } from './expiry'
import { InstallLines } from './install-lines-view'
import { JoinWatch, type WatchedToken } from './join-watch'

type Values = {
  companyId?: string
  name: string
  groupId?: string
  expiry: Expiry
  maxUses?: number | null
  requiresApproval?: boolean
}

type CreatedToken = WatchedToken & { token: string }

/** Asks for what the token may do, then shows it once with the lines that use it, and who has joined with it. */
export function CreateTokenDialog({
  onCreated,
  onClose,
}: {
  onCreated: (token: WatchedToken) => void
  onClose: () => void
}) {
  const { t } = useTranslation('agents')
  const [token, setToken] = useState<CreatedToken | null>(null)
  return (
    <Modal
      open
      title={token === null ? t('create.title') : t('created.title')}
      onCancel={onClose}
      footer={null}
      width={token === null ? 520 : 760}
      // The token is shown once: a stray click beside the dialog must not lose it.
      mask={{ closable: false }}
      keyboard={token === null}
    >
      {token === null ? (
        <CreateTokenForm
          onCreated={(created) => {
            setToken(created)
            onCreated({ id: created.id, name: created.name })
          }}
          onClose={onClose}
        />
      ) : (
        <div style={{ display: 'grid', gap: 16 }}>
          <Alert type="warning" showIcon title={t('created.once')} />
          <InstallLines token={token.token} />
          <JoinWatch token={token} />
          <div style={{ textAlign: 'end' }}>
            <Button type="primary" onClick={onClose}>
              {t('created.done')}
            </Button>
          </div>
        </div>
      )}
    </Modal>
  )
}

function CreateTokenForm({
  onCreated,
  onClose,
}: {
  onCreated: (token: CreatedToken) => void
  onClose: () => void
}) {
  const { t } = useTranslation('agents')
  const errorText = useErrorText()
  const client = useQueryClient()
  const scope = useCompanyScope()
  const [form] = Form.useForm<Values>()
  const chosen = Form.useWatch('companyId', form)
  const companyId = scope.companyId ?? chosen ?? null
  const [failure, setFailure] = useState<unknown>(null)
  const [isSaving, setIsSaving] = useState(false)
  const groups = useQuery({
    queryKey: [companyId ?? 'all', 'groups', 'choices'],
    queryFn: () => readGroups(String(companyId)),
    enabled: companyId !== null,
  })

  const save = async (values: Values) => {
    if (companyId === null) return
    setIsSaving(true)
    setFailure(null)
    const name = values.name.trim()
    try {
      const created = await createToken({
        companyId,
        name,
        groupId: values.groupId ?? null,
        expiresAt: expiryAt(values.expiry, Date.now()),
        maxUses: values.maxUses ?? null,
        requiresApproval: values.requiresApproval ?? false,
      })
      void client.invalidateQueries({ queryKey: tableKey(scope.companyId, 'enrollment_tokens') })
      onCreated({ ...created, name })
    } catch (error) {
      setFailure(error)
      setIsSaving(false)
    }
  }

  return (
    <Form<Values>
      form={form}
      layout="vertical"
      requiredMark="optional"
      disabled={isSaving}
      initialValues={{ name: '', expiry: '7d', maxUses: null }}
      onFinish={save}
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
          options={(groups.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        />
      </Form.Item>
      <Form.Item name="expiry" label={t('create.expiry')} rules={[{ required: true }]}>
        <Select options={EXPIRIES.map((expiry) => ({ value: expiry, label: t(`expiry.${expiry}`) }))} />
      </Form.Item>
      <Form.Item name="maxUses" label={t('create.maxUses')} extra={t('create.maxUsesHint')}>
        <InputNumber min={1} max={100000} precision={0} style={{ width: '100%' }} />
      </Form.Item>
      <Form.Item name="requiresApproval" valuePropName="checked" extra={t('create.approvalHint')}>
        <Checkbox>{t('create.approval')}</Checkbox>
      </Form.Item>
      {failure === null ? null : (
        <Alert
          type="error"
          showIcon
          title={errorText(failure, t('create.failed'))}
          style={{ marginBlockEnd: 16 }}
        />
      )}
      <div style={{ display: 'flex', gap: 8, justifyContent: 'flex-end', flexWrap: 'wrap' }}>
        <Button onClick={onClose}>{t('create.cancel')}</Button>
        <Button type="primary" htmlType="submit" loading={isSaving}>
          {t('create.submit')}
        </Button>
      </div>
    </Form>
  )
}
