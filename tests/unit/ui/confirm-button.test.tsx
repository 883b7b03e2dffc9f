// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ConfirmButton } from '@/ui/confirm-button'
import { render } from '../../support/render'

afterEach(cleanup)

describe('ConfirmButton', () => {
  it('acts only after the question is confirmed', async () => {
    const onConfirm = vi.fn()
    const { user } = await render(
      <ConfirmButton title="Revoke this token?" okText="Revoke" onConfirm={onConfirm}>
        Revoke token
      </ConfirmButton>,
    )
    await user.click(screen.getByRole('button', { name: 'Revoke token' }))
    expect(onConfirm).not.toHaveBeenCalled()
    await user.click(await screen.findByRole('button', { name: 'Revoke' }))
    expect(onConfirm).toHaveBeenCalledOnce()
  })

  it('keeps a question that names a long command within the page', async () => {
    const { user } = await render(
      <ConfirmButton title={`Stop “${'x'.repeat(300)}” on PC-1?`} onConfirm={() => undefined}>
        Stop
      </ConfirmButton>,
    )
    await user.click(screen.getByRole('button', { name: 'Stop' }))
    const box = (await screen.findByText(/on PC-1/)).closest('.ant-popover')
    expect(box?.getAttribute('style')).toContain('max-width: min(440px, calc(100vw - 32px))')
    expect(box?.getAttribute('style')).toContain('overflow-wrap: anywhere')
  })

  it('offers to cancel in Turkish', async () => {
    const { user } = await render(
      <ConfirmButton title="?" onConfirm={() => undefined}>
        Sil
      </ConfirmButton>,
      { language: 'tr' },
    )
    await user.click(screen.getByRole('button', { name: 'Sil' }))
    expect(await screen.findByRole('button', { name: 'Vazgeç' })).toBeTruthy()
  })
})
