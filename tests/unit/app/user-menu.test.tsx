// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { initials, UserMenu } from '@/app/shell/user-menu'
import type { SessionUser } from '@/session/types'
import { eventually } from '../../support/eventually'
import { render } from '../../support/render'

afterEach(cleanup)

const ADA = {
  id: 'u',
  name: 'Ada',
  email: 'ada@example.com',
  role: 'Standard',
  companyId: 'c',
  companyName: 'Acme',
} as SessionUser

async function open(mayOpenSettings: boolean, language: 'en' | 'tr' = 'en') {
  const { user } = await render(<UserMenu user={ADA} />, {
    language,
    can: () => (mayOpenSettings ? { allowed: true } : { allowed: false, reason: 'role' }),
  })
  await user.click(screen.getByRole('button', { name: language === 'en' ? 'Account of Ada' : 'Ada hesabı' }))
  await eventually(() => expect(screen.getAllByRole('menuitem').length).toBe(2))
  return user
}

const items = () => screen.getAllByRole('menuitem').map((item) => item.textContent?.trim())

describe('the menu of the account', () => {
  it('opens the form for the password to those who may not open the settings', async () => {
    const user = await open(false)
    expect(items()).toEqual(['Change password', 'Sign out'])
    await user.click(screen.getByText('Change password'))
    expect(await screen.findByLabelText('Current password')).toBeTruthy()
    expect(screen.getByRole('dialog', { name: 'Change password' })).toBeTruthy()
    expect(screen.getByLabelText('Repeat the new password')).toBeTruthy()
  })

  it('has the same entry in Turkish', async () => {
    await open(false, 'tr')
    expect(items()).toEqual(['Şifreyi değiştir', 'Çıkış yap'])
  })

  it('leads to the settings, which have the form, those who may open them', async () => {
    await open(true)
    expect(items()).toEqual(['Settings', 'Sign out'])
  })
})

describe('initials', () => {
  it('come from the first and the last word, in the reader’s alphabet', () => {
    expect(initials('Işıl Yılmaz', 'tr')).toBe('IY')
    expect(initials('ilker öz demir', 'tr')).toBe('İD')
    expect(initials('ada', 'en')).toBe('A')
    expect(initials('  ', 'en')).toBe('?')
  })
})
