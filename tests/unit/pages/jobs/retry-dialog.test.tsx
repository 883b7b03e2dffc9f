// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useLocation } from 'react-router'
import { afterEach, expect, it, vi } from 'vitest'
import { RetryDialog } from '@/pages/jobs/retry-dialog'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { fakeData, render } from '../../../support/render'

afterEach(cleanup)

const scope = { companyId: null, setCompanyId: () => undefined, companies: [] }
const none = { devices: 0, offline: 0, names: [], ids: [] }
const some = (devices: number, ...names: string[]) => ({ devices, offline: 1, names, ids: [] as string[] })

function Place() {
  return <output>{useLocation().pathname}</output>
}

async function open(preview: object) {
  const data = fakeData()
  const close = vi.fn()
  data.getOne.mockImplementation(async ({ resource }) => ({
    data:
      resource === 'procedures'
        ? {
            id: 'p',
            company_id: 'c',
            name: 'Join the domain',
            type: 'Bash',
            parameters: [
              { name: 'domain', kind: 'text', label: 'Domain name' },
              { name: 'password', kind: 'secret', label: 'Password', required: true },
            ],
          }
        : {
            id: 'j',
            company_id: 'c',
            name: 'Flush DNS',
            procedure_id: 'p',
            parameters: { domain: 'acme.test' },
          },
  }))
  data.getList.mockResolvedValue({ data: [], total: 0 })
  data.getMany.mockResolvedValue({
    data: ['1', '2'].map((id) => ({ id, name: `PC-${id}`, company_id: 'c', status: 'online' })),
  } as never)
  data.custom.mockImplementation(async ({ url }) => {
    // A second click comes before the answer.
    await new Promise((done) => setTimeout(done, 50))
    return {
      data: url === 'rpc/preview_retry' ? { takes_secret: false, left_out: 0, ...preview } : 'new-task',
    } as never
  })
  await render(
    <CompanyScopeContext.Provider value={scope}>
      <RetryDialog records={[{ id: 'j' }]} resource="jobs" action="retry_job" onClose={close} />
      <Place />
    </CompanyScopeContext.Provider>,
    { data },
  )
  const starts = () =>
    data.custom.mock.calls.map(([call]) => call).filter(({ url }) => url === 'rpc/retry_job')
  return { close, starts, user: userEvent.setup() }
}

it('says where it will run, starts once, and goes to the new task', async () => {
  const { close, starts, user } = await open({ failed: some(2, 'PC-1', 'PC-2'), canceled: some(3, 'PC-3') })
  expect(await screen.findByRole('dialog', { name: 'Run “Flush DNS” again' })).toBeTruthy()
  expect(await screen.findByText('2 devices:')).toBeTruthy()
  expect(screen.getByText('PC-1, PC-2')).toBeTruthy()
  await user.dblClick(screen.getByRole('button', { name: 'Run on 2 devices' }))
  await waitFor(() => expect(close).toHaveBeenCalled())
  expect(starts()).toMatchObject([{ payload: { job_id: 'j', failed: true, canceled: false } }])
  expect(await screen.findByText('/tasks/new-task')).toBeTruthy()
})

it('includes canceled runs where they are asked for', async () => {
  const { starts, user } = await open({ failed: some(2, 'PC-1', 'PC-2'), canceled: some(3, 'PC-3') })
  await user.click(await screen.findByRole('checkbox', { name: 'Canceled (3)' }))
  await user.click(screen.getByRole('button', { name: 'Run on 5 devices' }))
  await waitFor(() => expect(starts()).toMatchObject([{ payload: { failed: true, canceled: true } }]))
})

it('offers the canceled ones at once where nothing failed, and asks for their number above 25', async () => {
  const { starts, user } = await open({ failed: none, canceled: some(30, 'PC-3') })
  expect(await screen.findByRole('checkbox', { name: 'Canceled (30)' })).toHaveProperty('checked', true)
  expect(screen.getByRole('checkbox', { name: /^Failed/ })).toHaveProperty('disabled', true)
  await user.click(screen.getByRole('button', { name: 'Run on 30 devices' }))
  expect(await screen.findByText('Type 30, the number of devices.')).toBeTruthy()
  expect(starts()).toEqual([])
  await user.type(screen.getByRole('textbox'), '30')
  await user.click(screen.getByRole('button', { name: 'Run on 30 devices' }))
  await waitFor(() => expect(starts()).toMatchObject([{ payload: { failed: false, canceled: true } }]))
})

it('says that there is nothing left to run', async () => {
  await open({ failed: none, canceled: none, left_out: 2 })
  expect(await screen.findByText(/There is no device to run it on again/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: /Run on/ })).toBeNull()
})

it('opens the run form, filled in, for a script that takes a secret', async () => {
  const failed = { ...some(2, 'PC-1', 'PC-2'), ids: ['1', '2'] }
  const { starts, user } = await open({ takes_secret: true, failed, canceled: none })
  expect(await screen.findByText(/The script takes a secret, which is not kept/)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Open the run form' }))
  expect(await screen.findByDisplayValue('acme.test')).toBeTruthy()
  expect(screen.getByText('2 devices:')).toBeTruthy()
  expect(screen.getByLabelText('Password')).toHaveProperty('value', '')
  expect(starts()).toEqual([])
})
