// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DeniedError } from '@/data/errors'
import { NameForm } from '@/pages/settings/name-form'
import { PasswordForm } from '@/pages/settings/password-form'
import { SystemLicensePage } from '@/pages/settings/system-license-page'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { SessionContext, type SessionValue } from '@/session/use-session'
import { eventually } from '../../support/eventually'
import { fakeData, render } from '../../support/render'

const data = fakeData()

afterEach(() => {
  cleanup()
  vi.resetAllMocks()
})

describe('the own name', () => {
  const reloadUser = vi.fn(() => Promise.resolve())
  const open = () =>
    render(
      <SessionContext.Provider value={{ reloadUser } as unknown as SessionValue}>
        <NameForm userId="u" name="Ada" />
      </SessionContext.Provider>,
      { data },
    )

  it('is saved without blanks around it, told once, and then read by the session', async () => {
    data.update.mockResolvedValue({ data: { id: 'u' } } as never)
    const { user } = await open()
    await user.type(screen.getByLabelText('Name'), ' Lovelace ')
    await user.click(screen.getByRole('button', { name: 'Save name' }))
    await eventually(() => expect(reloadUser).toHaveBeenCalledOnce())
    expect(data.update.mock.lastCall?.[0]).toMatchObject({
      resource: 'profiles',
      id: 'u',
      variables: { name: 'Ada Lovelace' },
    })
    expect(screen.getAllByText('Name saved')).toHaveLength(1)
  })

  it('stays as typed when it cannot be saved, which is told once', async () => {
    data.update.mockRejectedValue(new Error('refused'))
    const { user } = await open()
    await user.type(screen.getByLabelText('Name'), '!')
    await user.click(screen.getByRole('button', { name: 'Save name' }))
    expect(await screen.findAllByText('The name could not be saved')).toHaveLength(1)
    expect(screen.getByLabelText('Name')).toHaveProperty('value', 'Ada!')
    expect(reloadUser).not.toHaveBeenCalled()
  })
})

describe('the own password', () => {
  it('asks for the current one before anything is sent', async () => {
    const { user } = await render(<PasswordForm />, { data })
    await user.type(screen.getByLabelText('New password'), 'Fresh-Console-2027')
    await user.type(screen.getByLabelText('Repeat the new password'), 'Fresh-Console-2027')
    await user.click(screen.getByRole('button', { name: 'Change password' }))
    expect(await screen.findByText('Enter your current password.')).toBeTruthy()
    expect(screen.getByLabelText('Current password')).toHaveProperty('autocomplete', 'current-password')
  })
})

describe('the license of a company', () => {
  const open = () =>
    render(
      <CompanyScopeContext.Provider value={{ companyId: 'c', setCompanyId: () => undefined, companies: [] }}>
        <SystemLicensePage />
      </CompanyScopeContext.Provider>,
      { data },
    )
  const company = { name: 'Acme', status: 'Active', license_type: 'Pro', license_end_date: null, seats: 250 }

  it('says how many of its seats are used', async () => {
    data.getOne.mockResolvedValue({ data: company })
    data.getList.mockResolvedValue({ data: [], total: 182 })
    await open()
    expect(await screen.findByText('182 of 250 seats used')).toBeTruthy()
  })

  it('names every page that Pro adds, as the menu does', async () => {
    data.getOne.mockResolvedValue({ data: company })
    data.getList.mockResolvedValue({ data: [], total: 182 })
    await open()
    await screen.findByText('What Pro adds')
    expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      'Automation (Automation Runs)',
      'Patch Management (Updates, Exceptions)',
      'Corporate Apps',
      'App Store',
    ])
  })

  it('is denied as a whole when one of its answers is', async () => {
    data.getOne.mockResolvedValue({ data: company })
    data.getList.mockRejectedValue(new DeniedError('no', 'role'))
    await open()
    expect(await screen.findByText("You don't have access to this page")).toBeTruthy()
    expect(screen.queryByText('Acme')).toBeNull()
  })
})
