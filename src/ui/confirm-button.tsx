import { Button, type ButtonProps, Popconfirm } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'

export interface Confirmation {
  /** The question. */
  title: string
  /** The consequence of a yes. */
  text?: ReactNode
  okText?: string
  /** Resolves when done; the button in the question shows it is at work. */
  onConfirm: () => unknown
}

type ConfirmButtonProps = Omit<ButtonProps, 'title' | 'onClick'> & Confirmation & { startsOpen?: boolean }

/** A button that asks before it acts. */
export function ConfirmButton({
  title,
  text,
  okText,
  onConfirm,
  startsOpen = false,
  danger,
  ...button
}: ConfirmButtonProps) {
  const { t } = useTranslation('common')
  return (
    <Popconfirm
      // A question that names a command may hold a word as long as a line.
      styles={{ root: { maxWidth: 'min(440px, calc(100vw - 32px))', overflowWrap: 'anywhere' } }}
      title={title}
      description={text}
      okText={okText ?? t('actions.confirm')}
      cancelText={t('actions.cancel')}
      okButtonProps={danger ? { danger: true } : {}}
      onConfirm={onConfirm}
      defaultOpen={startsOpen}
      disabled={button.disabled === true}
    >
      <Button {...button} danger={danger} />
    </Popconfirm>
  )
}
