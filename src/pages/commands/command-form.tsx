import { Alert, Button, Form, InputNumber, Radio } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { TargetPicker, useTargetPicker } from '@/pages/devices/target-picker'
import { expiresAt, JobExpiry, type JobHours } from '@/pages/jobs/job-expiry'
import { TargetSummary } from '@/pages/procedures/target-summary'
import { oneCompany, splitTargets, type Target } from '@/pages/procedures/targets'
import { TypedConfirm } from '@/pages/procedures/typed-confirm'
import { codeLanguage } from '@/resource/fields/code/language'
import { useCompanyScope } from '@/session/use-company-scope'
import { LeaveGuard } from '@/ui/leave-guard'
import { lazyPart } from '@/ui/load-chunk'
import { PartLoading } from '@/ui/loading-state'
import { COMMAND_TYPES, type Command, MAX_TIMEOUT, type SavedCommand, scriptTypeOf } from './command-data'
import { SaveCommand } from './save-command'
import { SavedCommandSelect } from './saved-command-select'
import type { useCommandRun } from './use-command-run'

const CodeEditor = lazyPart(() =>
  import('@/resource/fields/code/code-editor').then((module) => ({ default: module.CodeEditor })),
)

interface CommandEditorProps {
  id?: string
  type: string | undefined
  value?: string
  onChange?: (value: string) => void
  'aria-invalid'?: boolean
  'aria-describedby'?: string
}

function CommandEditor({ id, type, value = '', onChange, ...aria }: CommandEditorProps) {
  const { t } = useTranslation('commands')
  return (
    <Suspense fallback={<PartLoading />}>
      <CodeEditor
        {...(id ? { id } : {})}
        label={t('form.editor')}
        value={value}
        language={codeLanguage(type, {})}
        isRequired
        isInvalid={aria['aria-invalid'] === true}
        {...(aria['aria-describedby'] ? { describedBy: aria['aria-describedby'] } : {})}
        {...(onChange ? { onChange } : {})}
      />
    </Suspense>
  )
}

interface CommandFormProps {
  commands: ReturnType<typeof useCommandRun>
  /** Devices that are chosen already. */
  preset?: readonly Target[]
}

interface Values extends Omit<Command, 'name'> {
  typed?: string
  hours?: JobHours
}

/** One command, and the devices that it runs on. */
export function CommandForm({ commands, preset = [] }: CommandFormProps) {
  const { t } = useTranslation(['commands', 'procedures'])
  const { failure, isStarting } = commands
  const [form] = Form.useForm<Values>()
  const { companyId } = useCompanyScope()
  const [saved, setSaved] = useState<SavedCommand | null>(null)
  const picker = useTargetPicker(companyId, preset)
  const type = Form.useWatch('type', form)
  const command = Form.useWatch('command', form) ?? ''
  const company = oneCompany(picker.targets)
  const script = company && type ? { type: scriptTypeOf(type), company_id: company } : null
  const selection = splitTargets(picker.targets, script)
  const { runnable } = selection
  const isMixed = picker.targets.length > 0 && company === null
  const isReady = runnable.length > 0 && !isMixed

  const choose = (row: SavedCommand) => {
    setSaved(row)
    form.setFieldsValue({ type: row.type, command: row.command, timeout_seconds: row.timeout_seconds })
    void form.validateFields(['command'])
  }
  const isSaved = saved?.command === command && saved.type === type
  return (
    <Form
      form={form}
      layout="vertical"
      requiredMark="optional"
      disabled={isStarting}
      initialValues={{ type: 'PowerShell', command: '', timeout_seconds: 300 }}
      onFinish={({ typed: _typed, hours, ...values }) => {
        if (!isReady || company === null) return
        const deviceIds = runnable.map(({ id }) => id)
        commands.run(
          { ...values, name: isSaved ? saved.name : null },
          { companyId: company, deviceIds, expiresAt: expiresAt(hours) },
        )
      }}
    >
      <LeaveGuard
        loss="changes"
        isLost={() => command.trim() !== '' && !isSaved && !isStarting && form.isFieldTouched('command')}
        title={t('form.leaveTitle')}
        text={t('form.leaveText')}
      />
      <Form.Item label={t('form.saved')} htmlFor="command-saved">
        <SavedCommandSelect id="command-saved" companyId={companyId} value={saved} onChange={choose} />
      </Form.Item>
      <Form.Item name="type" label={t('form.type')} required>
        <Radio.Group
          optionType="button"
          options={COMMAND_TYPES.map((each) => ({ value: each, label: each }))}
        />
      </Form.Item>
      <Form.Item
        name="command"
        label={t('form.command')}
        required
        validateTrigger={[]}
        rules={[{ required: true, whitespace: true, message: t('form.empty') }]}
      >
        <CommandEditor type={type} />
      </Form.Item>
      <Form.Item label={t('form.devices')} required htmlFor="command-devices">
        <TargetPicker id="command-devices" picker={picker} />
      </Form.Item>
      {isMixed ? (
        <Alert type="error" showIcon title={t('form.mixed')} style={{ marginBlockEnd: 16 }} />
      ) : null}
      <TargetSummary selection={selection} scriptType={type} />
      <Form.Item
        name="timeout_seconds"
        label={t('form.timeout')}
        required
        rules={[
          { required: true, type: 'integer', min: 1, max: MAX_TIMEOUT, message: t('form.timeoutWrong') },
        ]}
      >
        <InputNumber min={1} max={MAX_TIMEOUT} suffix={t('form.seconds')} style={{ width: 160 }} />
      </Form.Item>
      <JobExpiry />
      <TypedConfirm count={runnable.length} />
      {failure === null ? null : (
        <Alert
          type="error"
          showIcon
          title={t('failed')}
          description={failure}
          style={{ marginBlockEnd: 16 }}
        />
      )}
      <div style={{ display: 'flex', gap: 8, flexWrap: 'wrap' }}>
        <GuardedButton
          resource="custom-commands"
          action="run"
          type="primary"
          htmlType="submit"
          loading={isStarting}
          disabled={!isReady}
        >
          {runnable.length > 0 ? t('form.runOn', { count: runnable.length }) : t('form.run')}
        </GuardedButton>
        <SaveCommand
          values={() => form.getFieldsValue(['type', 'command', 'timeout_seconds'])}
          companyId={company ?? companyId}
          disabled={command.trim() === '' || isSaved}
          onSaved={setSaved}
        />
        <Button
          disabled={command === ''}
          onClick={() => {
            form.resetFields()
            setSaved(null)
          }}
        >
          {t('form.clear')}
        </Button>
      </div>
    </Form>
  )
}
