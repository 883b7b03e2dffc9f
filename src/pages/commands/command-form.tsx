import { Alert, Button, Form, InputNumber, Radio } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { codeLanguage } from '@/resource/fields/code/kind'
import {
  COMMAND_TYPES,
  type Command,
  initialType,
  MAX_TIMEOUT,
  SAVED_COMMAND,
  type SavedCommand,
  scriptTypeOf,
} from '@/runs/start/command-data'
import { capOf, JobCap } from '@/runs/start/job-cap'
import { expiresAt, JobExpiry, type JobHours } from '@/runs/start/job-expiry'
import { TypedConfirm } from '@/runs/start/typed-confirm'
import { RecordSelect } from '@/runs/targets/record-select'
import type { TargetPreset } from '@/runs/targets/target-data'
import { TargetPicker, TargetProblem, useTargetPicker } from '@/runs/targets/target-picker'
import { TargetSummary } from '@/runs/targets/target-summary'
import { useCompanyScope } from '@/session/use-company-scope'
import { LeaveGuard } from '@/ui/leave-guard'
import { lazyPart } from '@/ui/load-chunk'
import { PartLoading } from '@/ui/loading-state'
import { SaveCommand } from './save-command'
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
  /** The target that is chosen when the form opens. */
  preset?: TargetPreset
}

interface Values extends Omit<Command, 'name'> {
  typed?: string
  hours?: JobHours
  max_running?: number | null
}

const NOTHING: TargetPreset = { devices: [] }

export function CommandForm({ commands, preset = NOTHING }: CommandFormProps) {
  const { t } = useTranslation(['commands', 'procedures'])
  const { failure, isStarting } = commands
  const [form] = Form.useForm<Values>()
  const { companyId } = useCompanyScope()
  const [saved, setSaved] = useState<SavedCommand | null>(null)
  const picker = useTargetPicker(companyId, preset)
  const type = Form.useWatch('type', form)
  const command = Form.useWatch('command', form) ?? ''
  const isSaved = saved?.command === command && saved.type === type
  const asked = type ? { type: scriptTypeOf(type), platforms: isSaved ? saved.platforms : null } : null
  const chosen = picker.choose(asked)
  const { company } = chosen
  const count = chosen.selection?.count ?? 0

  const choose = (row: SavedCommand) => {
    setSaved(row)
    form.setFieldsValue({ type: row.type, command: row.command, timeout_seconds: row.timeout_seconds })
    void form.validateFields(['command'])
  }
  return (
    <Form
      form={form}
      layout="vertical"
      requiredMark="optional"
      disabled={isStarting}
      initialValues={{ type: initialType(picker.devices), command: '', timeout_seconds: 300 }}
      onFinish={({ typed: _typed, hours, max_running, ...values }) => {
        if (!chosen.isReady || company === null) return
        const expires = expiresAt(hours)
        commands.run({ ...values, name: isSaved ? saved.name : null }, company, count, (args) =>
          chosen.callOf('run_command', {
            ...args,
            ...capOf(max_running),
            ...(expires ? { expires_at: expires } : {}),
          }),
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
      <TargetProblem chosen={chosen} mixed={t('form.mixed')} />
      {chosen.selection ? <TargetSummary selection={chosen.selection} script={asked} /> : null}
      <Form.Item
        name="timeout_seconds"
        label={t('form.timeout')}
        required
        rules={[
          { required: true, type: 'integer', min: 1, max: MAX_TIMEOUT, message: t('form.timeoutWrong') },
        ]}
      >
        <InputNumber min={1} max={MAX_TIMEOUT} suffix={t('form.seconds')} className="l-figure" />
      </Form.Item>
      <JobExpiry />
      <JobCap count={count} />
      <TypedConfirm count={count} />
      {failure === null ? null : (
        <Alert type="error" showIcon title={t('failed')} description={failure} className="l-above" />
      )}
      <div className="l-buttons">
        <GuardedButton
          resource="custom-commands"
          action="run"
          type="primary"
          htmlType="submit"
          loading={isStarting}
          disabled={!chosen.isReady}
        >
          {count > 0 ? t('form.runOn', { count }) : t('form.run')}
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

interface SavedCommandSelectProps {
  id: string
  companyId: string | null
  value: SavedCommand | null
  onChange: (command: SavedCommand) => void
}

function SavedCommandSelect(props: SavedCommandSelectProps) {
  const { t } = useTranslation('commands')
  return (
    <RecordSelect<SavedCommand>
      {...props}
      resource="saved_commands"
      select={SAVED_COMMAND}
      label={t('form.saved')}
      placeholder={t('form.savedPlaceholder')}
      nothing={t('form.noSaved')}
      aside={({ type }) => type}
    />
  )
}
