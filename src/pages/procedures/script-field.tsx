import ExperimentOutlined from '@ant-design/icons/es/icons/ExperimentOutlined'
import { Drawer, Form } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { Input } from '@/resource/fields/code/input'
import type { InputProps } from '@/resource/fields/kind-interface'
import { TestScript, type UnsavedScript } from './test-script'

/** The script of a form, and a run of it on one device before it is saved. */
export function ScriptField(props: InputProps<'code'>) {
  const { t } = useTranslation(['procedures', 'jobs', 'devices'])
  const form = Form.useFormInstance()
  const [tested, setTested] = useState<UnsavedScript | null>(null)
  const isEmpty = typeof props.value !== 'string' || props.value.trim() === ''
  return (
    <>
      <Input {...props} />
      <GuardedButton
        resource="procedures"
        action="run"
        icon={<ExperimentOutlined />}
        className="l-below-8"
        {...(isEmpty ? { reason: t('test.empty') } : {})}
        onClick={() =>
          setTested({
            ...(form.getFieldsValue(['name', 'type', 'parameters', 'timeout_seconds', 'platforms']) as Omit<
              UnsavedScript,
              'script'
            >),
            script: String(props.value),
          })
        }
      >
        {t('test.open')}
      </GuardedButton>
      <Drawer
        open={tested !== null}
        title={t('test.title')}
        size={640}
        destroyOnHidden
        onClose={() => setTested(null)}
      >
        {tested ? <TestScript script={tested} onClose={() => setTested(null)} /> : null}
      </Drawer>
    </>
  )
}
