import { Form } from 'antd'
import { useTranslation } from 'react-i18next'
import type { InputProps } from '@/resource/fields/kind-interface'
import { Input } from '@/resource/fields/text/input'
import { useDebounced } from '@/ui/use-debounced'
import css from './monitors.module.css'
import { isTarget, type Probe } from './target'

const PAUSE_MS = 600

/** The target of a network check. Says while it is typed when the probe takes another kind; the database refuses it. */
export function TargetField(props: InputProps<'text'>) {
  const { t } = useTranslation('rules')
  const form = Form.useFormInstance()
  const probe = Form.useWatch<Probe | undefined>('probe', form) ?? 'ping'
  const value = useDebounced(typeof props.value === 'string' ? props.value.trim() : '', PAUSE_MS)
  return (
    <>
      <Input {...props} />
      {value === '' || isTarget(probe, value) ? null : (
        <div role="status" className={css.problem}>
          {t(`target_${probe}`)}
        </div>
      )}
    </>
  )
}
