// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import type { Can, DenialReason } from '@/access/policy'
import { PrivateRoutes } from '@/app/private-routes'
import type { Language } from '@/i18n/language'
import { render } from '../../support/render'

async function show(
  path: string,
  missing: string,
  language: Language = 'en',
  refused: (action: string) => DenialReason | undefined = () => 'role',
): Promise<HTMLElement> {
  const can: Can = (object, action) => {
    const reason = object === missing ? refused(action) : undefined
    return reason ? { allowed: false, reason } : { allowed: true }
  }
  await render(<PrivateRoutes />, { path, can, language })
  return screen.findByRole('alert')
}

afterEach(cleanup)

describe('a page outside the role', () => {
  it('says which page and permission are missing, whom to ask, and leads home', async () => {
    const denied = await show('/enrollment-tokens', 'enrollment_tokens')
    expect(denied.textContent).toContain("You don't have access to Enrollment Tokens")
    expect(denied.textContent).toContain('permission: enrollment_tokens, list')
    expect(denied.textContent).toContain('administrator of your company')
    expect(screen.getByRole('link', { name: 'Go to Dashboard' }).getAttribute('href')).toBe('/')
  })

  it('says so in Turkish', async () => {
    const denied = await show('/security-log', 'security_log', 'tr')
    expect(denied.textContent).toContain('security_log, list')
    expect(denied.textContent).toContain('yöneticisine')
  })

  it('names what the form would do where only that is missing, and leads back to the list', async () => {
    const only = (reason: DenialReason) => (action: string) => (action === 'create' ? reason : undefined)
    const denied = await show('/create-group', 'groups', 'en', only('role'))
    expect(denied.textContent).toContain("You can't create records in Groups")
    expect(denied.textContent).toContain('permission: groups, create')
    expect(screen.getByRole('link', { name: 'Go to Groups' }).getAttribute('href')).toBe('/groups')
    cleanup()
    const expired = await show('/create-group', 'groups', 'tr', only('read-only'))
    expect(expired.textContent).toContain('kayıt oluşturamazsınız')
    expect(expired.textContent).toContain('lisansı')
    expect(screen.getByRole('link', { name: /sayfasına git/ }).getAttribute('href')).toBe('/groups')
  })
})
