// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DeactivateUsersDialog } from '@/pages/users/deactivate-users-dialog'
import { eventually } from '../../support/eventually'
import { fakeData, render } from '../../support/render'

const data = fakeData()

const ADA = { id: 'ada', name: 'Ada Yılmaz', status: 'active' }
const BOB = { id: 'bob', name: 'Bob', status: 'invited' }
const OWN = { id: 'user-1', name: 'Own', status: 'active' }
const GONE = { id: 'gone', name: 'Gone', status: 'deactivated' }

async function open(
  records: readonly object[],
  tickets: number,
  language: 'en' | 'tr' = 'en',
  held: object = {},
) {
  const asked: { url: string; payload?: unknown }[] = []
  data.custom.mockImplementation(async ({ url, payload }) => {
    asked.push({ url, payload })
    return { data: url.includes('open_tickets_of') ? tickets : url.includes('work_held_by') ? held : 1 }
  })
  const onClose = vi.fn()
  const { user } = await render(
    <DeactivateUsersDialog
      records={records as { id: string }[]}
      resource="users"
      action="deactivate"
      onClose={onClose}
    />,
    { language, data, companyId: 'c' },
  )
  return { user, asked, onClose }
}

afterEach(() => {
  cleanup()
  vi.resetAllMocks()
})

describe('the question before somebody is deactivated', () => {
  it('says how many open tickets are theirs', async () => {
    await open([ADA], 3)
    expect((await screen.findByRole('status')).textContent).toBe(
      '3 open tickets are assigned to them. Assign these to somebody else.',
    )
    expect(screen.getByText('Deactivate: Ada Yılmaz')).toBeTruthy()
  })

  it('says so in Turkish', async () => {
    await open([ADA, BOB], 1, 'tr')
    expect((await screen.findByRole('status')).textContent).toBe(
      'Bu kişilere atanmış 1 açık destek talebi var. Talebi başka birine atayın.',
    )
    expect(screen.getByText('Devre dışı bırak: 2 kullanıcı')).toBeTruthy()
  })

  it('says what pauses without their right, and that somebody can take it over', async () => {
    const held = { scheduled_tasks: 2, automations: 1, monitors: 0, policies: 1 }
    await open([ADA], 0, 'en', held)
    expect((await screen.findByRole('status')).textContent).toBe(
      'They answer for 2 scheduled tasks, 1 automation and 1 patch policy. Each pauses when it is next due, until somebody takes it over.',
    )
    expect(screen.queryByText(/automations go on/)).toBeNull()
    cleanup()
    await open([ADA], 0, 'tr', { ...held, monitors: 3 })
    expect((await screen.findByRole('status')).textContent).toBe(
      'Bu kişilerin sorumlu olduğu kayıtlar: 2 zamanlanmış görev, 1 otomasyon, betik çalıştıran 3 izleyici ve 1 yama politikası. Her biri sıradaki zamanında duraklar ve başka biri devralana kadar çalışmaz.',
    )
  })

  it('says nothing of tickets where there are none, and deactivates those who are not yet', async () => {
    const { user, asked, onClose } = await open([ADA, BOB, GONE, OWN], 0)
    const ok = await screen.findByRole('button', { name: 'Deactivate' })
    await eventually(() => expect((ok as HTMLButtonElement).disabled).toBe(false))
    expect(screen.queryByText(/open ticket/)).toBeNull()
    await user.click(ok)
    await eventually(() => expect(onClose).toHaveBeenCalledOnce())
    expect(asked.map(({ url }) => url.replace(/.*\//, ''))).toEqual([
      'open_tickets_of',
      'work_held_by',
      'deactivate_users',
    ])
    expect(asked.map(({ payload }) => payload)).toEqual([
      { ids: ['ada', 'bob'] },
      { ids: ['ada', 'bob'] },
      { ids: ['ada', 'bob'] },
    ])
  })
})
