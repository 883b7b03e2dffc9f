// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import type { AccessValue } from '@/access/access-context'
import { findDefinition } from '@/resource/definition/registry'
import { Input } from '@/resource/fields/enum/input'
import { render } from '../../../support/render'

afterEach(cleanup)

async function offered(can: AccessValue['can'], value = 'Standard'): Promise<string[]> {
  const field = findDefinition('users')?.fields.role
  if (field?.type !== 'enum') throw new Error('users.role is not an enum')
  const { user } = await render(
    <Input id="role" name="role" resource="users" record={{}} field={field} value={value} />,
    { can },
  )
  await user.click(screen.getByRole('combobox'))
  return [...document.querySelectorAll('.ant-select-item-option')].map((option) => option.textContent ?? '')
}

const ADMIN: AccessValue['can'] = (object, verb) =>
  object === 'companies' && verb === 'create' ? { allowed: false, reason: 'role' } : { allowed: true }

describe('the choices of an enum', () => {
  it('leave out a value whose permission is missing', async () => {
    expect(await offered(ADMIN)).toEqual(['Admin', 'Teknik', 'Standard'])
  })

  it('hold every value for who may choose it, and the stored one for all', async () => {
    expect(await offered(() => ({ allowed: true }))).toContain('Super Admin')
    cleanup()
    expect(await offered(ADMIN, 'Super Admin')).toContain('Super Admin')
  })
})
