// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { Button, Form } from 'antd'
import { afterEach, expect, it, vi } from 'vitest'
import { useSingleCall } from '@/ui/use-single-call'
import { eventually } from '../../support/eventually'
import { render } from '../../support/render'

afterEach(cleanup)

function Saver({ save }: { save: () => Promise<void> }) {
  const finish = useSingleCall(save)
  return (
    <Form onFinish={finish}>
      <Button htmlType="submit">Save</Button>
    </Form>
  )
}

it('saves once for a double click, and again when the first has ended', async () => {
  let end: (error?: Error) => void = () => undefined
  const save = vi.fn(
    () => new Promise<void>((done, fail) => (end = (error) => (error ? fail(error) : done()))),
  )
  const ended = vi.fn()
  await render(<Saver save={() => save().catch(ended)} />)
  const button = screen.getByRole('button', { name: 'Save' })
  fireEvent.click(button)
  fireEvent.click(button)
  await eventually(() => expect(save).toHaveBeenCalledOnce())
  await act(async () => end(new Error('Refused')))
  expect(ended).toHaveBeenCalledOnce()
  fireEvent.click(button)
  await eventually(() => expect(save).toHaveBeenCalledTimes(2))
  await act(async () => end())
})
