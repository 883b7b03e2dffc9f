import type { ComponentProps } from 'react'
import { GuardedButton } from '@/access/guarded-button'
import { useVerdict } from '@/access/use-verdict'
import { ConfirmButton } from '@/ui/confirm-button'

type Props = ComponentProps<typeof ConfirmButton> & { resource: string; action: string }

/** Asks before it acts; without permission it is hidden or disabled as `GuardedButton` is. */
export function GuardedConfirmButton({ resource, action, ...props }: Props) {
  const verdict = useVerdict(resource, action)
  if (verdict.allowed) return <ConfirmButton {...props} />
  const { title: _title, text: _text, okText: _okText, onConfirm: _onConfirm, ...button } = props
  return <GuardedButton resource={resource} action={action} {...button} />
}
