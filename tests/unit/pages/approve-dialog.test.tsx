// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DataError } from '@/data/errors'
import { approveRequest, type EnrollmentRequest, readRequest, rejectRequest } from '@/pages/agents/agent-data'
import { ApproveDialog } from '@/pages/agents/approve-dialog'
import { CompanyScopeContext } from '@/session/use-company-scope'
import { render } from '../../support/render'

vi.mock('@/pages/agents/agent-data')

const REQUEST: EnrollmentRequest = {
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
  lastSeen: null,
}

const open = (language: 'en' | 'tr' = 'en') => {
  const onClose = vi.fn()
  const scope = { companyId: 'company-1', setCompanyId: () => undefined, companies: [] }
  return render(
    <CompanyScopeContext.Provider value={scope}>
      <ApproveDialog
        records={[{ id: 'request-1', hostname: 'WIN-5TQ8R1' }]}
        resource="enrollment_requests"
        onClose={onClose}
      />
    </CompanyScopeContext.Provider>,
    { language },
  ).then((rendered) => ({ ...rendered, onClose }))
}

afterEach(() => {
  cleanup()
  vi.resetAllMocks()
})

describe('ApproveDialog', () => {
  it('shows what differs from the known device, and approves for that device', async () => {
    vi.mocked(readRequest).mockResolvedValue(REQUEST)
    vi.mocked(approveRequest).mockResolvedValue('device-1')
    const { user, onClose } = await open()
    await screen.findByText('This machine asks for the place of BURSA-PC-32')
    const name = screen.getByRole('row', { name: /Host name/ })
    expect(name.textContent).toContain('bursa-pc-32')
    expect(name.textContent).toContain('differs')
    expect(screen.getByRole('row', { name: /System/ }).textContent).not.toContain('differs')
    await user.click(screen.getByRole('button', { name: 'Approve and replace' }))
    expect(approveRequest).toHaveBeenCalledWith(REQUEST)
    await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  })

  it('stays open and reads again when the request has changed meanwhile', async () => {
    vi.mocked(readRequest).mockResolvedValueOnce({ ...REQUEST, device_id: null, device: null })
    vi.mocked(readRequest).mockResolvedValue(REQUEST)
    vi.mocked(approveRequest).mockRejectedValue(new DataError('the request has changed', 'PT409'))
    const { user, onClose } = await open()
    await screen.findByText('The machine joins as a new device of Acme.')
    await user.click(screen.getByRole('button', { name: 'Approve' }))
    await screen.findByText('The request has changed or was already decided. Review it again.')
    await screen.findByText('This machine asks for the place of BURSA-PC-32')
    expect(onClose).not.toHaveBeenCalled()
  })

  it('says in Turkish that somebody else was quicker, and offers no decision', async () => {
    vi.mocked(readRequest).mockResolvedValue({ ...REQUEST, status: 'rejected' })
    await open('tr')
    await screen.findByText('Bu istek zaten karara bağlandı.')
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Reddet' }).disabled).toBe(true)
    expect(rejectRequest).not.toHaveBeenCalled()
  })
})
