// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import type { Can } from '@/access/policy'
import { Input } from '@/resource/fields/enum/input'
import type { EnumField } from '@/resource/language/definition.generated'
import { render } from '../../../support/render'

afterEach(cleanup)

const FIELD: EnumField = {
  type: 'enum',
  values: { Gold: 'gold', Silver: 'gray' },
  needs: { Gold: { object: 'companies', verb: 'create' } },
}

async function offered(can: Can, value = 'Silver', field = FIELD): Promise<string[]> {
  const { user } = await render(
    <Input id="tier" name="tier" resource="contracts" record={{}} field={field} value={value} />,
    { can },
  )
  await user.click(screen.getByRole('combobox'))
  return [...document.querySelectorAll('.ant-select-item-option')].map((option) => option.textContent ?? '')
}

const ADMIN: Can = (object, verb) =>
  object === 'companies' && verb === 'create' ? { allowed: false, reason: 'role' } : { allowed: true }

describe('the choices of an enum', () => {
  it('leave out a value whose permission is missing', async () => {
    expect(await offered(ADMIN)).toEqual(['Silver'])
  })

  it('hold every value for who may choose it, and the stored one for all', async () => {
    expect(await offered(() => ({ allowed: true }))).toContain('Gold')
    cleanup()
    expect(await offered(ADMIN, 'Gold')).toContain('Gold')
  })

  it('leave out a value that only the database gives, unless it is the stored one', async () => {
    const field: EnumField = { ...FIELD, automatic: ['Gold'] }
    const all: Can = () => ({ allowed: true })
    expect(await offered(all, 'Silver', field)).toEqual(['Silver'])
    cleanup()
    expect(await offered(all, 'Gold', field)).toContain('Gold')
  })
})
