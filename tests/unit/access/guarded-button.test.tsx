// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { GuardedButton } from '@/access/guarded-button'
import type { Can } from '@/access/policy'
import { render } from '../../support/render'

afterEach(cleanup)

const open = async (can?: Can) => {
  const onConfirm = vi.fn()
  const { user } = await render(
    <GuardedButton
      resource="groups"
      action="edit"
      confirm={{ title: 'Remove the rule?', okText: 'Remove it', onConfirm }}
    >
      Remove
    </GuardedButton>,
    can ? { can } : {},
  )
  return { user, onConfirm }
}

it('a guarded button with a question acts once it is answered', async () => {
  const { user, onConfirm } = await open()
  await user.click(screen.getByRole('button', { name: 'Remove' }))
  await screen.findByText('Remove the rule?')
  expect(onConfirm).not.toHaveBeenCalled()
  await user.click(screen.getByRole('button', { name: 'Remove it' }))
  expect(onConfirm).toHaveBeenCalledOnce()
})

it('a guarded button with a question asks nothing where the license forbids the action, and says why', async () => {
  const { user, onConfirm } = await open(() => ({ allowed: false, reason: 'read-only' }))
  const button = screen.getByRole('button', { name: 'Remove' })
  expect(button.getAttribute('aria-disabled')).toBe('true')
  await user.click(button)
  await screen.findByRole('tooltip', { name: /license is not active/ })
  expect(screen.queryByText('Remove the rule?')).toBeNull()
  expect(onConfirm).not.toHaveBeenCalled()
})
