import { Form, Input } from 'antd'
import { useTranslation } from 'react-i18next'
import { isTyped, needsTyping } from '@/runs/targets/targets'
import css from './start.module.css'

/** Above 25 devices their number is typed before anything runs on them. */
export function TypedConfirm({ count }: { count: number }) {
  const { t } = useTranslation('procedures')
  if (!needsTyping(count)) return null
  return (
    <Form.Item
      name="typed"
      label={t('run.confirm', { count })}
      required
      validateTrigger="onBlur"
      rules={[
        {
          validator: (_rule, value: string | undefined) =>
            isTyped(value ?? '', count)
              ? Promise.resolve()
              : Promise.reject(new Error(t('run.confirmWrong', { count }))),
        },
      ]}
    >
      <Input inputMode="numeric" autoComplete="off" className={css.typed} />
    </Form.Item>
  )
}
