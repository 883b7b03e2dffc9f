import { Button, type ButtonProps, Tooltip } from 'antd'
import { Suspense, useState } from 'react'
import { isOutOfRole, type RecordRead } from '@/access/policy'
import { useAccessState, useDenialText } from '@/access/use-can'
import type { Confirmation } from '@/ui/confirm-button'
import { lazyPart } from '@/ui/load-chunk'

// The question is larger than the button, and the first list asks none.
const ConfirmButton = lazyPart(() =>
  import('@/ui/confirm-button').then((module) => ({ default: module.ConfirmButton })),
)

interface GuardedButtonProps extends Omit<ButtonProps, 'href' | 'target' | 'title'> {
  resource: string
  action: string
  /** The record that the action is about, where it is about one: the role's row rules may leave it out. */
  record?: RecordRead
  /** A reason other than a missing permission why the action is unavailable. */
  reason?: string
  /** The question that is asked before the action, which then takes the place of `onClick`. */
  confirm?: Confirmation
}

/** antd's own class for a link that is disabled: the looks without the attribute. */
const DISABLED_LOOK = 'ant-btn-disabled'

/**
 * A button for an action that needs permission. A role that can never do it does not get the button. Where only
 * license or state forbid it, the button is disabled with the reason and stays in the tab order (aria-disabled instead
 * of disabled), so that pointer and keyboard both reach the reason.
 */
export function GuardedButton({ resource, action, record, reason, confirm, ...button }: GuardedButtonProps) {
  const { status, can } = useAccessState()
  const denialText = useDenialText()
  const verdict = can(resource, action, record)
  if (verdict.allowed && !reason)
    return confirm ? <AskingButton {...button} confirm={confirm} /> : <Button {...button} />
  // There is no reason to show before the policy is loaded.
  if (status !== 'ready') return <Button {...button} disabled />
  if (isOutOfRole(verdict)) return null
  const refusal = verdict.allowed ? reason : denialText(verdict.reason)
  return (
    <Tooltip title={refusal} trigger={['hover', 'focus']}>
      <Button
        {...button}
        className={`${DISABLED_LOOK} ${button.className ?? ''}`}
        htmlType="button"
        loading={false}
        aria-disabled="true"
        aria-description={refusal}
        onClick={(event) => event.preventDefault()}
      />
    </Tooltip>
  )
}

function AskingButton({ confirm, ...button }: Omit<ButtonProps, 'title'> & { confirm: Confirmation }) {
  // A press while the question is loading opens it once it is there.
  const [isPressed, setPressed] = useState(false)
  return (
    <Suspense fallback={<Button {...button} onClick={() => setPressed(true)} />}>
      <ConfirmButton {...button} {...confirm} startsOpen={isPressed} />
    </Suspense>
  )
}
