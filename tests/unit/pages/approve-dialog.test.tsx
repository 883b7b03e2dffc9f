// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DataError, GoneError } from '@/data/errors'
import { ApproveDialog } from '@/pages/agents/approve-dialog'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { eventually } from '../../support/eventually'
import { fakeData, render } from '../../support/render'

const data = fakeData()

const REQUEST = {
  id: 'request-1',
  company_id: 'company-1',
  status: 'pending',
  device_id: 'device-1',
  hostname: 'WIN-5TQ8R1',
  platform: 'windows',
  agent_version: '0.1.0',
  ip_address: '198.51.100.7',
  created_at: new Date().toISOString(),
  token: { name: 'Head office' },
  group: null,
  company: { name: 'Acme' },
  device: {
    name: 'BURSA-PC-32',
    hostname: 'bursa-pc-32',
    platform: 'windows',
    agent_version: '0.1.0',
    ip_address: '10.27.0.34',
    token: null,
  },
}

/** The request as it is read first and then; the device has never checked in. */
function answer(first: object, then: object = first) {
  let isRead = false
  data.getOne.mockImplementation(async ({ resource }) => {
    if (resource !== 'enrollment_requests') throw new GoneError('No such row')
    const row = isRead ? then : first
    isRead = true
    return { data: row }
  })
}

const open = (language: 'en' | 'tr' = 'en') => {
  const onClose = vi.fn()
  const scope = { companyId: 'company-1', setCompanyId: () => undefined, companies: [] }
  return render(
    <CompanyScopeContext.Provider value={scope}>
      <ApproveDialog
        records={[{ id: 'request-1', hostname: 'WIN-5TQ8R1' }]}
        resource="enrollment_requests"
        action="approve"
        onClose={onClose}
      />
    </CompanyScopeContext.Provider>,
    { language, data },
  ).then((rendered) => ({ ...rendered, onClose }))
}

afterEach(() => {
  cleanup()
  vi.resetAllMocks()
})

describe('ApproveDialog', () => {
  it('shows what differs from the known device, and approves for that device', async () => {
    answer(REQUEST)
    data.custom.mockResolvedValue({ data: 'device-1' })
    const { user, onClose } = await open()
    await screen.findByText('This machine asks to replace BURSA-PC-32')
    const name = screen.getByRole('row', { name: /Hostname/ })
    expect(name.textContent).toContain('bursa-pc-32')
    expect(name.textContent).toContain('differs')
    expect(screen.getByRole('row', { name: /System/ }).textContent).not.toContain('differs')
    await user.click(screen.getByRole('button', { name: 'Approve and replace' }))
    expect(data.custom.mock.lastCall?.[0]).toMatchObject({
      url: 'rpc/approve_enrollment',
      payload: { id: 'request-1', device_id: 'device-1' },
    })
    await eventually(() => expect(onClose).toHaveBeenCalledOnce())
  })

  it('stays open and reads again when the request has changed meanwhile', async () => {
    answer({ ...REQUEST, device_id: null, device: null }, REQUEST)
    data.custom.mockRejectedValue(new DataError('the request has changed', 'PT409'))
    const { user, onClose } = await open()
    await screen.findByText('The machine is added to Acme as a new device.')
    await user.click(screen.getByRole('button', { name: 'Approve' }))
    await screen.findByText('The request has changed or was already decided. Review it again.')
    await screen.findByText('This machine asks to replace BURSA-PC-32')
    expect(onClose).not.toHaveBeenCalled()
  })

  it('says in Turkish that somebody else was quicker, and offers no decision', async () => {
    answer({ ...REQUEST, status: 'rejected' })
    await open('tr')
    await screen.findByText('Bu istek zaten karara bağlandı.')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Reddet' }).disabled).toBe(true)
    expect(data.custom).not.toHaveBeenCalled()
  })
})
