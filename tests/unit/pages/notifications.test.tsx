// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { GoneError } from '@/data/errors'
import { NotificationsScreen } from '@/pages/notifications/notifications-screen'
import { liveProvider } from '@/refine/live-provider'
import { SessionContext, type SessionValue } from '@/session/use-session'
import { eventually } from '../../support/eventually'
import { fakeTopics } from '../../support/live'
import { fakeData, render } from '../../support/render'

const FAILED = 'Could not be marked as read'
const data = fakeData()
let topics: ReturnType<typeof fakeTopics>
let unread: number

const open = (path = '/notifications') =>
  render(
    <SessionContext.Provider value={{ user: { id: 'user-1' } } as unknown as SessionValue}>
      <NotificationsScreen />
    </SessionContext.Provider>,
    { path, data, liveProvider },
  )

beforeEach(() => {
  unread = 2
  data.getList.mockImplementation(async ({ meta }) =>
    meta?.count === 'only'
      ? { data: [], total: unread }
      : {
          data: [
            {
              id: 'n-1',
              kind: 'other',
              params: {},
              link: null,
              read_at: null,
              created_at: '2026-11-22T10:00:00Z',
            },
          ],
          total: 1,
        },
  )
  topics = fakeTopics()
})
afterEach(() => {
  cleanup()
  vi.resetAllMocks()
})

describe('the inbox', () => {
  it.each([
    [{ succeeded: 4, failed: 2, canceled: 0 }, '4 succeeded, 2 failed.'],
    [{ succeeded: 4, failed: 2, canceled: 3 }, '4 succeeded, 2 failed, 3 canceled.'],
    [{ succeeded: 4, failed: 2 }, '4 succeeded, 2 failed.'],
  ])('tells how a task with %j ended', async (counters, text) => {
    data.getList.mockImplementation(async ({ meta }) =>
      meta?.count === 'only'
        ? { data: [], total: 1 }
        : {
            data: [
              {
                id: 'n-1',
                kind: 'job_finished',
                params: { name: 'Flush DNS', ...counters },
                link: '/tasks/1',
                read_at: null,
                created_at: '2026-11-22T10:00:00Z',
              },
            ],
            total: 1,
          },
    )
    await open()
    expect(await screen.findByText(text)).toBeTruthy()
  })

  it('says how many a bundle holds', async () => {
    const row = { id: 'n-1', link: '/tickets', read_at: null, created_at: '2026-11-22T10:00:00Z' }
    data.getList.mockImplementation(async ({ meta }) =>
      meta?.count === 'only'
        ? { data: [], total: 1 }
        : {
            data: [{ ...row, kind: 'tickets_opened', params: { count: 3, subject: 'No network' } }],
            total: 1,
          },
    )
    await open()
    expect(await screen.findByRole('link', { name: /3 new tickets/ })).toBeTruthy()
    expect(screen.getByText('The latest: No network')).toBeTruthy()
  })

  it('reads one page of the person’s own, as the address says', async () => {
    await open('/notifications?filter=unread&page=3')
    await screen.findByRole('listitem')
    const page = data.getList.mock.calls.find(([{ meta }]) => meta?.count !== 'only')?.[0]
    expect(page).toMatchObject({
      filters: [
        { field: 'user_id', operator: 'eq', value: 'user-1' },
        { field: 'read_at', operator: 'null' },
      ],
      pagination: { currentPage: 3, pageSize: 20 },
    })
  })

  it('marks one of the person’s own, or all that are unread', async () => {
    data.updateMany.mockResolvedValue({ data: [{ id: 'n-1' }] })
    const { user } = await open()
    await user.click(await screen.findByRole('button', { name: /^Mark as read: / }))
    expect(data.updateMany.mock.lastCall?.[0]).toMatchObject({
      ids: ['n-1'],
      meta: {
        idColumnName: 'id',
        conditions: [
          { field: 'read_at', operator: 'null' },
          { field: 'user_id', value: 'user-1' },
        ],
      },
    })
    await user.click(await screen.findByRole('button', { name: 'Mark all as read' }))
    expect(data.updateMany.mock.lastCall?.[0]).toMatchObject({
      ids: ['user-1'],
      meta: { idColumnName: 'user_id', conditions: [{ field: 'read_at', operator: 'null' }] },
    })
  })

  it('says nothing when another tab was quicker, and says so when marking fails', async () => {
    data.updateMany.mockRejectedValueOnce(new GoneError('No row was changed'))
    data.updateMany.mockRejectedValueOnce(new Error('refused'))
    const { user } = await open()
    const all = await screen.findByRole('button', { name: 'Mark all as read' })
    await user.click(all)
    await eventually(() => expect(data.updateMany).toHaveBeenCalledOnce())
    expect(screen.queryByText(FAILED)).toBeNull()
    await eventually(() => expect(all).toHaveProperty('disabled', false))
    await user.click(all)
    await screen.findByText(FAILED)
  })

  it('follows the topic of the person', async () => {
    await open()
    await screen.findByRole('heading', { name: /2/ })
    unread = 3
    topics.tell('user:user-1', { table: 'notifications', op: 'insert' })
    await screen.findByRole('heading', { name: /3/ })
  })
})
