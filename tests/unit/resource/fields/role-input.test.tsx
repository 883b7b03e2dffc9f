// @vitest-environment happy-dom
import { act, cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { setAllRoles } from '@/access/roles'
import { Input } from '@/resource/fields/enum/input'
import type { FieldOf } from '@/resource/fields/kind-interface'
import { kindOf } from '@/resource/fields/kinds'
import { eventually } from '../../../support/eventually'
import { render } from '../../../support/render'

const FIELD = { type: 'role', required: true } as const

beforeEach(() =>
  setAllRoles([
    { name: 'Super Admin', isGrantable: false, hasCompany: false },
    { name: 'Admin', isGrantable: true, hasCompany: true },
    { name: 'Field Auditor', isGrantable: true, hasCompany: true },
    { name: 'Owner', isGrantable: false, hasCompany: true },
  ]),
)
afterEach(() => {
  cleanup()
  setAllRoles([])
})

const options = () =>
  [...document.querySelectorAll('.ant-select-item-option')].map((option) => option.textContent ?? '')

async function open(value: string | null, field: FieldOf<'role'> = FIELD): Promise<void> {
  const { user } = await render(
    <Input id="role" name="role" resource="users" record={{}} field={field} value={value} />,
  )
  await user.click(screen.getByRole('combobox'))
}

describe('the choices of a role', () => {
  it('are the roles that the user may give, one without a word by its name', async () => {
    await open('Admin')
    expect(options()).toEqual(['Admin', 'Field Auditor'])
  })

  it('are all roles of a company where the field grants nothing', async () => {
    await open(null, { ...FIELD, grants: false })
    expect(options()).toEqual(['Admin', 'Field Auditor', 'Owner'])
  })

  it('are those alone that have a permission on every record, where the field names one', async () => {
    const custom = vi.fn(async () => ({ data: ['Owner'] }))
    const { user } = await render(
      <Input
        id="role"
        name="role"
        resource="users"
        record={{}}
        field={{ ...FIELD, grants: false, may: { object: 'tickets', verb: 'list' } }}
        value={null}
      />,
      { data: { custom } },
    )
    await user.click(screen.getByRole('combobox'))
    await eventually(() => expect(options()).toEqual(['Owner']))
    expect(custom).toHaveBeenCalledWith(
      expect.objectContaining({ url: 'rpc/roles_that_may', payload: { object: 'tickets', verb: 'list' } }),
    )
  })

  it('hold the stored role too', async () => {
    await open('Super Admin')
    expect(options()).toContain('Super Admin')
  })

  it('follow the permissions', async () => {
    await open('Admin')
    act(() => setAllRoles([{ name: 'Admin', isGrantable: true, hasCompany: true }]))
    expect(options()).toEqual(['Admin'])
  })

  it('are the values that a form and a file accept', () => {
    expect(kindOf('role').validate?.('Field Auditor', FIELD)).toBeNull()
    expect(kindOf('role').validate?.('Auditor', FIELD)).toEqual({ key: 'choice' })
    expect(kindOf('role').choices?.(FIELD)).toEqual({
      known: ['Super Admin', 'Admin', 'Field Auditor', 'Owner'],
      isClosed: true,
    })
  })
})
