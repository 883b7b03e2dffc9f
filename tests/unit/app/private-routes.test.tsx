// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import type { Can } from '@/app/navigation'
import { PrivateRoutes } from '@/app/private-routes'
import type { Language } from '@/i18n/language'
import { render } from '../../support/render'

async function show(path: string, missing: string, language: Language = 'en'): Promise<HTMLElement> {
  const can: Can = (object) => (object === missing ? { allowed: false, reason: 'role' } : { allowed: true })
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
})
