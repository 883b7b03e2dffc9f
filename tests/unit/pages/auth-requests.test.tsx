// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LoginPage } from '@/pages/auth/login-page'
import { eventually } from '../../support/eventually'
import { render } from '../../support/render'

const sent = vi.hoisted(() => vi.fn())

vi.mock('@/pages/auth/auth-requests', () => ({
  LoginRequest: (request: object) => {
    sent(request)
    return null
  },
}))

afterEach(() => {
  cleanup()
  sent.mockClear()
})

const REQUEST = { email: 'ada@acme.test', password: 'secret' }

async function fill(type: 'input' | 'change') {
  await render(<LoginPage />)
  fireEvent[type](screen.getByLabelText('Email'), { target: { value: REQUEST.email } })
  fireEvent[type](screen.getByLabelText('Password'), { target: { value: REQUEST.password } })
}
const press = () => fireEvent.click(screen.getByRole('button', { name: 'Sign in' }))

describe('the sign-in form', () => {
  it('waits for what sends it, if a browser filled it in without a key', async () => {
    await fill('change')
    press()
    await eventually(() => expect(sent).toHaveBeenCalledWith(expect.objectContaining(REQUEST)))
  })

  it('is sent with the press, once the first key has loaded what sends it', async () => {
    await fill('input')
    await import('@/pages/auth/auth-requests')
    await Promise.resolve()
    press()
    expect(sent).toHaveBeenCalledWith(expect.objectContaining(REQUEST))
  })
})
