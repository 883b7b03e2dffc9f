// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApproveScriptDialog } from '@/pages/procedures/approve-script-dialog'
import { SessionContext, type SessionValue } from '@/session/use-session'
import { fakeData, render } from '../../../support/render'

const data = fakeData()
const version = (number: number, more: object = {}) => ({
  id: `v${number}`,
  company_id: 'c',
  number,
  created_at: '2026-11-25T10:00:00Z',
  created_by: 'someone-else',
  approved_at: null,
  declined_at: null,
  ...more,
})

afterEach(cleanup)
beforeEach(() => {
  data.custom.mockReset()
  data.custom.mockResolvedValue({ data: null } as never)
  data.getOne.mockImplementation(async ({ id }) => ({
    data: {
      number: Number(String(id).slice(1)),
      type: 'Bash',
      script: id === 'v1' ? 'echo one\n' : 'echo two\n',
      parameters: [],
      timeout_seconds: 60,
    } as never,
  }))
})

async function open(...versions: object[]) {
  const onClose = vi.fn()
  data.getList.mockResolvedValue({ data: versions as never, total: versions.length })
  const rendered = await render(
    <SessionContext value={{ user: { id: 'me' } } as unknown as SessionValue}>
      <ApproveScriptDialog
        records={[{ id: 'p', name: 'Clean up' }]}
        resource="procedures"
        action="approve"
        onClose={onClose}
      />
    </SessionContext>,
    { data },
  )
  return { ...rendered, onClose }
}

describe('ApproveScriptDialog', () => {
  it('approves the version that it shows, by its id, beside what was approved before', async () => {
    const { user, onClose } = await open(version(2), version(1, { approved_at: '2026-11-24T10:00:00Z' }))
    expect(await screen.findByText('echo one')).toBeTruthy()
    expect(screen.getByText('echo two')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Approve version 2' }))
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
    expect(data.custom.mock.lastCall?.[0]).toMatchObject({
      url: 'rpc/approve_procedure',
      payload: { version_id: 'v2' },
    })
  })

  it('shows all that a first version fixes, its parameters with their defaults and choices', async () => {
    data.getOne.mockResolvedValue({
      data: {
        id: 'v1',
        number: 1,
        type: 'Bash',
        script: 'id',
        timeout_seconds: 60,
        // Nothing here knows this column.
        platforms: ['linux', 'macos'],
        parameters: [
          { name: 'PATH', kind: 'text', label: 'Folder', default: '/tmp', required: true },
          { name: 'MODE', kind: 'choice', choices: ['list', 'delete'] },
        ],
      } as never,
    })
    await open(version(1))
    const settings = await screen.findByRole('list', { name: 'Settings of the version' })
    expect([...settings.children].map((item) => item.textContent?.trim())).toEqual([
      'Type:  Bash',
      'Time limit:  60 seconds',
      'Systems:  Linux, macOS',
      'Parameters:  PATH, MODE',
      'PATH Type:  text',
      'PATH Label:  Folder',
      'PATH Default:  /tmp',
      'PATH Required:  yes',
      'MODE Type:  choice',
      'MODE Choices:  list, delete',
    ])
  })

  it('shows a default that alone was changed, and what hides in it', async () => {
    data.getOne.mockImplementation(async ({ id }) => ({
      data: {
        id,
        type: 'Bash',
        script: `id${' '.repeat(300)}; rm -rf /`,
        timeout_seconds: 60,
        parameters: [{ name: 'PATH', kind: 'text', default: id === 'v1' ? '/tmp' : '/\u202Eetc' }],
      } as never,
    }))
    await open(version(2), version(1, { approved_at: '2026-11-24T10:00:00Z' }))
    const settings = await screen.findByRole('list', { name: 'Settings of the version' })
    expect([...settings.children].map((item) => item.textContent?.trim())).toEqual([
      'PATH Default: /tmp → /U+202Eetc',
    ])
    expect(screen.getByText('300 blanks').parentElement?.textContent).toBe('id300 blanks; rm -rf /')
  })

  it('stays open where the server refuses, and reads the versions again', async () => {
    const { user, onClose } = await open(version(2))
    data.custom.mockRejectedValue(new Error('replaced'))
    await user.click(await screen.findByRole('button', { name: 'Approve version 2' }))
    await waitFor(() => expect(data.getList.mock.calls.length).toBeGreaterThan(1))
    expect(onClose).not.toHaveBeenCalled()
  })

  it('tells the author that another person has to approve', async () => {
    await open(version(1, { created_by: 'me' }))
    expect(await screen.findByText(/You wrote this version/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Approve version 1' })).toHaveProperty('disabled', true)
  })

  it('tells who wrote a part since the last approval that another person has to approve', async () => {
    await open(version(3), version(2), version(1, { created_by: 'me' }))
    expect(await screen.findByText(/You wrote a part of this version since the last approval/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Approve version 3' })).toHaveProperty('disabled', true)
    expect(screen.getByRole('button', { name: 'Decline' })).toHaveProperty('disabled', true)
  })

  it('lets the author of an approved version approve what others wrote since', async () => {
    await open(
      version(3),
      version(2, { approved_at: '2026-11-24T10:00:00Z' }),
      version(1, { created_by: 'me' }),
    )
    const approve = await screen.findByRole('button', { name: 'Approve version 3' })
    expect(approve).toHaveProperty('disabled', false)
    expect(screen.queryByText(/You wrote a part/)).toBeNull()
  })

  it('declines the version that it shows, with a reason', async () => {
    const { user, onClose } = await open(version(2))
    await user.click(await screen.findByRole('button', { name: 'Decline' }))
    await user.click(screen.getByRole('button', { name: 'Decline version 2' }))
    expect(await screen.findByText('Enter a reason.')).toBeTruthy()
    expect(data.custom).not.toHaveBeenCalled()
    await user.type(screen.getByRole('textbox', { name: /Reason/ }), 'Deletes too much')
    await user.click(screen.getByRole('button', { name: 'Decline version 2' }))
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
    expect(data.custom.mock.lastCall?.[0]).toMatchObject({
      url: 'rpc/decline_procedure',
      payload: { version_id: 'v2', reason: 'Deletes too much' },
    })
  })

  it('shows who declined the version and why, and can still approve it', async () => {
    await open(
      version(2, { declined_at: '2026-11-25T11:00:00Z', declined_name: 'Ada', decline_reason: 'Too much' }),
    )
    expect(await screen.findByText('Ada declined this version: Too much')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Decline' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Approve version 2' })).toHaveProperty('disabled', false)
  })
})
