// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { Input, Modal } from 'antd'
import { afterEach, expect, it, vi } from 'vitest'
import { render } from '../../support/render'

afterEach(cleanup)

it('a click beside a dialog keeps what was typed in it', async () => {
  const onCancel = vi.fn()
  const { user } = await render(
    <Modal open title="Request approval" onCancel={onCancel}>
      <Input aria-label="Question" />
    </Modal>,
  )
  await user.type(screen.getByRole('textbox', { name: 'Question' }), 'May we?')
  const beside = document.querySelector('.ant-modal-wrap') as Element
  fireEvent.mouseDown(beside)
  fireEvent.mouseUp(beside)
  fireEvent.click(beside)
  expect(onCancel).not.toHaveBeenCalled()
  expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Question' }).value).toBe('May we?')
  await user.click(screen.getByRole('button', { name: 'Close' }))
  expect(onCancel).toHaveBeenCalledOnce()
})
