import CheckOutlined from '@ant-design/icons/es/icons/CheckOutlined'
import CopyOutlined from '@ant-design/icons/es/icons/CopyOutlined'
import { Button, type ButtonProps } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'

interface CopyButtonProps extends Pick<ButtonProps, 'type' | 'size' | 'disabled' | 'className'> {
  text: string
  /** The button's label; "Copy" by default. */
  label?: string
  /** An icon alone, the label for those who hear it. */
  iconOnly?: boolean
}

/** Pages served over plain HTTP have no clipboard API; the old way still works there. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const field = document.createElement('textarea')
    field.value = text
    field.style.position = 'fixed'
    field.style.opacity = '0'
    document.body.append(field)
    field.select()
    const done = document.execCommand('copy')
    field.remove()
    return done
  }
}

export function CopyButton({ text, label, iconOnly = false, ...button }: CopyButtonProps) {
  const { t } = useTranslation('common')
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')

  useEffect(() => {
    if (state === 'idle') return
    const timer = window.setTimeout(() => setState('idle'), 2000)
    return () => window.clearTimeout(timer)
  }, [state])

  const words = {
    idle: label ?? t('actions.copy'),
    copied: t('actions.copied'),
    failed: t('actions.copyFailed'),
  }
  return (
    <Button
      {...button}
      icon={state === 'copied' ? <CheckOutlined /> : <CopyOutlined />}
      aria-label={iconOnly ? words[state] : undefined}
      title={iconOnly ? words.idle : undefined}
      onClick={() => void copy(text).then((done) => setState(done ? 'copied' : 'failed'))}
    >
      {iconOnly ? null : words[state]}
    </Button>
  )
}
