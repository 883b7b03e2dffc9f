// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Action, Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { isOffered } from '@/resource/request/filter/actions'
import { useActionRunner } from '@/resource/screens/actions/use-action-runner'
import { ShowActions } from '@/resource/screens/show/show-actions'
import { render } from '../../../../support/render'

const definition: Definition = {
  name: 'visits',
  fields: { state: { type: 'enum', values: { open: 'blue', closed: 'gray' } } },
  actions: {
    reopen: { on: ['record'], icon: 'undo', rpc: 'reopen_visits', when: { state: { _eq: 'closed' } } },
    close: { on: ['record'], icon: 'check', rpc: 'close_visits', when: { state: { _eq: 'open' } } },
  },
}

const crowded: Definition = {
  ...definition,
  actions: {
    ...definition.actions,
    call: { on: ['record'], icon: 'phone', rpc: 'call_visits' },
    move: { on: ['record'], icon: 'undo', rpc: 'move_visits' },
  },
}

function Head({ run, definition: given = definition }: { run: () => void; definition?: Definition }) {
  return (
    <ShowActions
      definition={given}
      words={useWords(given)}
      scope={{ companyId: null, filter: {} }}
      record={{ id: '1', state: 'open' }}
      runner={{ run, remove: vi.fn(), dialog: null, isOpen: false }}
      linkState={null}
    />
  )
}

const setPhone = (isPhone: boolean) =>
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) =>
      ({
        matches: isPhone && query.includes('767.98px'),
        addEventListener: () => undefined,
        removeEventListener: () => undefined,
        addListener: () => undefined,
        removeListener: () => undefined,
      }) as unknown as MediaQueryList,
  )

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

describe('the actions of a record', () => {
  it('include Edit with a reason where the record is locked for the user', async () => {
    const locked: Definition = {
      ...definition,
      locked: { when: { state: { _eq: 'open' } }, unless: { object: 'visits', verb: 'close' } },
    }
    const draw = (mayClose: boolean) =>
      render(<Head run={vi.fn()} definition={locked} />, {
        can: (_, verb) =>
          verb === 'close' && !mayClose ? { allowed: false, reason: 'role' } : { allowed: true },
      })
    await draw(false)
    const edit = screen.getByRole('button', { name: 'Edit' })
    expect(edit.getAttribute('aria-disabled')).toBe('true')
    expect(edit.getAttribute('aria-description')).toBe('This record is no longer edited.')
    cleanup()
    await draw(true)
    expect(screen.getByRole('button', { name: 'Edit' }).getAttribute('aria-disabled')).toBeNull()
  })

  it('are buttons; one that its state does not allow says so', async () => {
    setPhone(false)
    const run = vi.fn()
    const { user } = await render(<Head run={run} />)
    const reopen = screen.getByRole('button', { name: 'Reopen' })
    expect(reopen.getAttribute('aria-disabled')).toBe('true')
    expect(reopen.getAttribute('aria-description')).toBe('Not available for this record now')
    await user.click(reopen)
    expect(run).not.toHaveBeenCalled()
    await user.click(screen.getByRole('button', { name: 'Close' }))
    expect(run).toHaveBeenCalledOnce()
  })

  it('have one button for a switch, and no menu entry for its other side', async () => {
    setPhone(false)
    const articles = findDefinition('articles')
    if (!articles) throw new Error('no articles')
    function Article({ status }: { status: string }) {
      return (
        <ShowActions
          definition={articles as Definition}
          words={useWords(articles as Definition)}
          scope={{ companyId: null, filter: {} }}
          record={{ id: '1', status }}
          runner={{ run: vi.fn(), remove: vi.fn(), dialog: null, isOpen: false }}
          linkState={null}
        />
      )
    }
    await render(<Article status="draft" />)
    expect(screen.getByRole('button', { name: 'Publish' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Back to draft' })).toBeNull()
    cleanup()
    const { user } = await render(<Article status="published" />)
    expect(screen.getByRole('button', { name: 'Back to draft' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Publish' })).toBeNull()
    await user.click(screen.getByRole('button', { name: /more/i }))
    await screen.findByRole('menuitem', { name: 'Print' })
    expect(screen.queryByRole('menuitem', { name: /^Publish/ })).toBeNull()
  })

  it('are the first two that are possible and a menu on a phone, without what is not possible', async () => {
    setPhone(true)
    const { user } = await render(<Head run={vi.fn()} definition={crowded} />)
    expect(screen.getByRole('button', { name: 'Close' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Reopen' })).toBeNull()
    await user.click(screen.getByRole('button', { name: /more/i }))
    expect(await screen.findByRole('menuitem', { name: 'Move' })).toBeTruthy()
    expect(screen.queryByRole('menuitem', { name: /Reopen/ })).toBeNull()
  })

  it('have their icons, on buttons and in the menu', async () => {
    setPhone(true)
    const { user } = await render(<Head run={vi.fn()} definition={crowded} />)
    const close = screen.getByRole('button', { name: 'Close' })
    await waitFor(() => expect(close.querySelector('.anticon-check svg')).not.toBeNull())
    await user.click(screen.getByRole('button', { name: /more/i }))
    const move = await screen.findByRole('menuitem', { name: 'Move' })
    await waitFor(() => expect(move.querySelector('.anticon-undo svg')).not.toBeNull())
  })

  it('never offer to deactivate the own account', () => {
    const users = findDefinition('users') as Definition
    const offered = (id: string) =>
      isOffered(users, users.actions?.deactivate as Action, { id, status: 'active' }, { user: { id: 'me' } })
    expect(offered('me')).toBe(false)
    expect(offered('somebody')).toBe(true)
  })
})

it('the requester of a resolved ticket has buttons to rate and reopen it on a phone', async () => {
  setPhone(true)
  const tickets = findDefinition('tickets')
  if (!tickets) throw new Error('no tickets')
  const mayDo = new Set(['rate', 'reopen_own', 'close_own', 'edit', 'list'])
  const Page = () => (
    <ShowActions
      definition={tickets}
      words={useWords(tickets)}
      scope={{ companyId: null, filter: { user: { id: 'me' } } }}
      record={{ id: '1', status: 'resolved', requester_id: 'me', merged_into_id: null, subticket_count: 0 }}
      runner={{ run: vi.fn(), remove: vi.fn(), dialog: null, isOpen: false }}
      linkState={null}
    />
  )
  await render(<Page />, {
    can: (_object, verb) => (mayDo.has(verb) ? { allowed: true } : { allowed: false, reason: 'role' }),
  })
  expect(screen.getByRole('button', { name: 'Rate' })).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Reopen my ticket' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Watch' })).toBeNull()
})

it('a requester closes, reopens or rates the own ticket; one that was merged has nothing of it', () => {
  const tickets = findDefinition('tickets') as Definition
  const offered = (row: Record<string, unknown>) =>
    ['reopen', 'open', 'reopen_own', 'rate', 'close_own', 'watch'].filter((name) =>
      isOffered(
        tickets,
        tickets.actions?.[name] as Action,
        { id: '1', requester_id: 'me', merged_into_id: null, ...row },
        { user: { id: 'me' } },
      ),
    )
  expect(offered({ status: 'open' })).toEqual(['close_own'])
  expect(offered({ status: 'waiting' })).toEqual(['open', 'close_own'])
  expect(offered({ status: 'resolved' })).toEqual(['reopen', 'reopen_own', 'rate', 'close_own'])
  expect(offered({ status: 'closed', merged_into_id: '2' })).toEqual([])
  expect(offered({ status: 'open', requester_id: 'somebody' })).toEqual(['watch'])
  expect(offered({ status: 'open', requester_id: null })).toEqual(['watch'])
})

it('the menu of a record leaves out what only the person may do whom a field names', async () => {
  setPhone(false)
  const tickets = findDefinition('tickets') as Definition
  const Page = () => (
    <ShowActions
      definition={tickets}
      words={useWords(tickets)}
      scope={{ companyId: null, filter: { user: { id: 'me' } } }}
      record={{ id: '1', status: 'open', requester_id: 'somebody', merged_into_id: null, subticket_count: 0 }}
      runner={{ run: vi.fn(), remove: vi.fn(), dialog: null, isOpen: false }}
      linkState={null}
    />
  )
  const { user } = await render(<Page />)
  await user.click(screen.getByRole('button', { name: 'More actions' }))
  expect(await screen.findByRole('menuitem', { name: /^Merge/ })).toBeTruthy()
  for (const name of [/^Close my/, /^Reopen my/, /^Rate/, /^Stop watching/])
    expect(screen.queryByRole('menuitem', { name })).toBeNull()
})

/** A record page with its own dialogs. */
function Page() {
  const scope = { companyId: null, filter: {} }
  const runner = useActionRunner(definition, scope, () => undefined)
  return (
    <>
      <ShowActions
        {...{ definition, scope, runner }}
        words={useWords(definition)}
        record={{ id: '1', state: 'open' }}
        linkState={null}
      />
      {runner.dialog}
    </>
  )
}

describe('the menu of a record', () => {
  it('gives the focus back to its button when Escape closes it', async () => {
    setPhone(false)
    const { user } = await render(<Page />)
    const more = screen.getByRole('button', { name: 'More actions' })
    await user.click(more)
    const print = await screen.findByRole('menuitem', { name: 'Print' })
    print.focus()
    // The menu reads the number of a key, which user-event does not give.
    fireEvent.keyDown(print, { key: 'Escape', keyCode: 27, which: 27 })
    await waitFor(() => expect(document.activeElement).toBe(more))
  })

  it('gives the focus back to its button when the dialog that it opened is closed', async () => {
    setPhone(false)
    const { user } = await render(<Page />)
    const more = screen.getByRole('button', { name: 'More actions' })
    await user.click(more)
    await user.click(await screen.findByRole('menuitem', { name: 'Delete' }))
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(more))
  })
})
