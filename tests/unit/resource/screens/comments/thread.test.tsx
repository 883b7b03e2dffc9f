// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { useEffect } from 'react'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { CheckError, DeniedError, GoneError, OfflineError } from '@/data/errors'
import { commentsOf } from '@/resource/language/comments'
import { findDefinition } from '@/resource/language/registry'
import {
  type CommentSlots,
  CommentSlotsContext,
  type MenuSourceProps,
} from '@/resource/screens/comments/comment-slots'
import { draftKey, NO_DRAFT, writeDraft } from '@/resource/screens/comments/drafts'
import { Thread } from '@/resource/screens/comments/thread'
import { fakeData, render } from '../../../../support/render'

vi.mock('@/data/live', async (original) => ({
  ...(await original<typeof import('@/data/live')>()),
  joinPresence: () => ({ say: () => undefined, leave: () => undefined }),
}))

beforeAll(() => {
  window.IntersectionObserver = class {
    observe() {}
    disconnect() {}
  } as unknown as typeof IntersectionObserver
})
afterEach(() => {
  cleanup()
  window.localStorage.clear()
})

const definition = findDefinition('tickets')
const comments = definition && commentsOf(definition)
const record = { id: '10000000-0000-4000-8000-000000000000', company_id: 'acme', status: 'open' }
const row = (id: string, body: string, values: object = {}) => ({
  id,
  kind: 'reply',
  body,
  author_id: 'someone',
  author_name: 'Ayşe',
  mentions: [],
  edited_at: null,
  version: 1,
  created_at: new Date(Date.now() - Number(id) * 60_000).toISOString(),
  ...values,
})

async function show(
  data: { [method in keyof ReturnType<typeof fakeData>]?: (question: never) => Promise<unknown> | string },
  can?: (object: string, verb: string) => boolean,
  values: object = {},
) {
  if (!definition || !comments) throw new Error('Tickets have no comments.')
  return render(<Thread definition={definition} comments={comments} record={{ ...record, ...values }} />, {
    companyId: 'acme',
    data: { ...fakeData(), custom: async () => ({ data: [] }), ...data } as never,
    ...(can
      ? {
          can: (object, verb) => (can(object, verb) ? { allowed: true } : { allowed: false, reason: 'role' }),
        }
      : {}),
  })
}
const list =
  (rows: object[], hasNext = false) =>
  async () =>
    ({ data: rows, total: rows.length, hasNext }) as never

it('waits without saying that there are none', async () => {
  await show({ getList: (() => new Promise(() => undefined)) as never })
  expect(screen.queryByText(/No comments yet/)).toBeNull()
  expect(screen.queryByRole('textbox')).toBeNull()
})

it('says who may not read them', async () => {
  await show({
    getList: async () => {
      throw new DeniedError('no', 'role')
    },
  })
  expect(await screen.findByText(/Your role does not/)).toBeTruthy()
})

it('offers to try again after an error', async () => {
  let fails = true
  const { user } = await show({
    getList: (async () => {
      if (fails) throw new OfflineError('Failed to fetch')
      return { data: [row('1', 'Here again')], total: 1, hasNext: false }
    }) as never,
  })
  const retry = await screen.findByRole('button', { name: /try again/i })
  fails = false
  await user.click(retry)
  expect(await screen.findByText('Here again')).toBeTruthy()
})

it('invites to write the first comment, or says that there are none to whoever may not', async () => {
  await show({ getList: list([]) })
  expect(await screen.findByText('No comments yet. Write the first one below.')).toBeTruthy()
  cleanup()
  await show({ getList: list([]) }, (_object, verb) => verb === 'list')
  expect(await screen.findByText('No comments yet.')).toBeTruthy()
  expect(screen.queryByRole('textbox')).toBeNull()
})

it('shows the newest at the end, what was edited, and notes by name', async () => {
  await show({
    getList: list(
      [row('1', 'Newest', { kind: 'note' }), row('2', 'Older', { edited_at: new Date().toISOString() })],
      true,
    ),
  })
  const items = await screen.findAllByRole('listitem')
  expect(items.map((item) => item.textContent?.includes('Older'))).toEqual([true, false])
  expect(items[0]?.textContent).toContain('edited')
  expect(items[1]?.textContent).toContain('Internal note')
  expect(items[1]?.dataset.color).toBe('gold')
  expect(screen.getByRole('button', { name: 'Show earlier' })).toBeTruthy()
})

it('offers no note to a person without their lines', async () => {
  await show({ getList: list([]) }, (object) => object !== 'tickets-notes')
  expect(await screen.findByRole('textbox', { name: 'Write a comment' })).toBeTruthy()
  expect(screen.queryByRole('radio')).toBeNull()
})

it.each([
  [new GoneError('gone', 'PT404'), /no longer exists.*Your text is kept here/],
  [
    new CheckError('closed', '23514', undefined, undefined, undefined, 'comment_closed'),
    /was closed in the meantime.*kept here/,
  ],
  [new OfflineError('Failed to fetch'), /Not sent.*kept here/],
])('keeps the text when it cannot be sent, and says what to do (%s)', async (error, words) => {
  const { user } = await show({
    getList: list([]),
    create: async () => {
      throw error
    },
  })
  const box = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Reply' })
  await user.type(box, 'Half a day of work')
  await user.click(screen.getByRole('button', { name: 'Send as reply' }))
  expect((await screen.findByRole('alert')).textContent).toMatch(words)
  expect(box.value).toBe('Half a day of work')
})

it('sends once when the button is pressed twice', async () => {
  const create = vi.fn(() => new Promise(() => undefined))
  const { user } = await show({ getList: list([]), create: create as never })
  await user.type(
    await screen.findByRole('textbox', { name: 'Reply' }),
    'Once{Control>}{Enter}{Enter}{/Control}',
  )
  await waitFor(() => expect(create).toHaveBeenCalledTimes(1))
})

it('offers the menus of other parts of the console at their sign, by keyboard', async () => {
  if (!definition || !comments) throw new Error('Tickets have no comments.')
  const Source = ({ kind, words, onItems }: MenuSourceProps) => {
    useEffect(
      () =>
        onItems(
          kind === 'reply' && 'greeting'.startsWith(words)
            ? [{ key: '1', label: 'Greeting', hint: 'canned', insert: async () => 'Good morning,' }]
            : [],
        ),
      [kind, words, onItems],
    )
    return null
  }
  const policy = { object: 'canned_replies', verb: 'list' }
  const slots: CommentSlots = {
    sources: [
      { key: 'greetings', resources: ['tickets'], policy, Source },
      { key: 'of devices', resources: ['devices'], policy, Source },
    ],
  }
  const { user } = await render(
    <CommentSlotsContext value={slots}>
      <Thread definition={definition} comments={comments} record={record} />
    </CommentSlotsContext>,
    { companyId: 'acme', data: { ...fakeData(), custom: async () => ({ data: [] }), getList: list([]) } },
  )
  const box = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Reply' })
  await user.type(box, '/gre')
  expect(await screen.findAllByRole('option', { name: /Greeting/ })).toHaveLength(1)
  // Longer than the pause after which a menu of people asks again.
  await new Promise((done) => setTimeout(done, 400))
  expect(screen.getAllByRole('option')).toHaveLength(1)
  await user.type(box, '{Enter}')
  await waitFor(() => expect(box.value).toBe('Good morning, '))
  expect(screen.queryByRole('option')).toBeNull()
})

it('asks before it sends a part of an inserted text that had no value', async () => {
  if (!definition || !comments) throw new Error('Tickets have no comments.')
  const data = fakeData()
  data.create.mockImplementation((async () => ({ data: row('1', 'Sent') })) as never)
  const policy = { object: 'canned_replies', verb: 'list' }
  const unfilled = /\{[a-z]+\.[a-z]+\}/
  const slots: CommentSlots = {
    sources: [{ key: 'canned', resources: ['tickets'], policy, unfilled, Source: () => null }],
  }
  const { user } = await render(
    <CommentSlotsContext value={slots}>
      <Thread definition={definition} comments={comments} record={record} />
    </CommentSlotsContext>,
    { companyId: 'acme', data: { ...data, custom: async () => ({ data: [] }), getList: list([]) } },
  )
  const box = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Reply' })
  await user.type(box, 'About {{device.name}:')
  const send = screen.getByRole('button', { name: 'Send as reply' })
  await user.click(send)
  expect((await screen.findByRole('alert')).textContent).toContain('{device.name} has no value here')
  expect(data.create).not.toHaveBeenCalled()
  await user.click(send)
  await waitFor(() => expect(data.create).toHaveBeenCalledTimes(1))
})

it('offers no box on a merged ticket', async () => {
  if (!definition || !comments) throw new Error('Tickets have no comments.')
  const merged = { ...record, merged_into_id: '20000000-0000-4000-8000-000000000000' }
  const open = (of: object) =>
    render(<Thread definition={definition} comments={comments} record={{ ...record, ...of }} />, {
      companyId: 'acme',
      data: {
        ...fakeData(),
        getList: async () => ({ data: [], total: 0 }),
        custom: async () => ({ data: [] }),
      } as never,
    })
  await open({ merged_into_id: null })
  expect(await screen.findAllByRole('textbox')).not.toEqual([])
  cleanup()
  await open(merged)
  await screen.findByRole('region', { name: 'Comments' })
  expect(screen.queryAllByRole('textbox')).toEqual([])
})

it('names no deleted account as the author of a merged ticket that nobody asked for', async () => {
  const first = row('1', 'Disk is full', { author_id: null, author_name: null, origin: '#46: Alert' })
  await show({ getList: async () => ({ data: [first], total: 1 }) })
  expect(await screen.findByText('No author')).toBeTruthy()
  expect(screen.queryByText('Deleted account')).toBeNull()
})

it.each([
  ['open', 1],
  ['closed', 0],
])('offers to edit and to delete an own reply on a ticket that is %s %d times', async (status, times) => {
  const own = row('1', 'My reply', { author_id: 'user-1' })
  await show({ getList: async () => ({ data: [own], total: 1 }) }, (_, verb) => verb !== 'delete', { status })
  await screen.findByText('My reply')
  expect(screen.queryAllByRole('button', { name: 'Edit' })).toHaveLength(times)
  expect(screen.queryAllByRole('button', { name: 'Delete' })).toHaveLength(times)
})

it('opens with the kind whose text waits, so that a note is not looked for under the reply', async () => {
  writeDraft(draftKey('user-1', 'ticket_comments', record.id, 'note'), { ...NO_DRAFT, text: 'Half a note' })
  await show({ getList: list([row('1', 'Hello')]) })
  const box = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Internal note' })
  expect(box.value).toBe('Half a note')
  cleanup()
  window.localStorage.clear()
})

it('says in place of the box that a ticket is closed, and offers to open it again', async () => {
  const closed = { status: 'closed', requester_id: 'user-1', merged_into_id: null }
  const role = (object: string, verb: string) => object === 'tickets' && verb !== 'assign'
  const data = { getList: list([row('1', 'Done')]) }
  await show(data, role, closed)
  expect(await screen.findByText('This ticket is closed and takes no more replies.')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Reopen my ticket' })).toBeTruthy()
  expect(screen.queryByRole('textbox')).toBeNull()
  cleanup()
  // A text that was begun before stays in the box.
  writeDraft(draftKey('user-1', 'ticket_comments', record.id, 'reply'), {
    ...NO_DRAFT,
    text: 'One more thing',
  })
  await show(data, role, closed)
  expect((await screen.findByRole<HTMLTextAreaElement>('textbox')).value).toBe('One more thing')
  cleanup()
  window.localStorage.clear()
  // The desk still writes notes, and opens it by its own action.
  await show(data, () => true, { ...closed, requester_id: 'someone' })
  expect(await screen.findByRole('textbox', { name: 'Internal note' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Reopen' })).toBeTruthy()
})
