// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Action, Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { isOffered } from '@/resource/request/filter/actions'
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

function Head({ run }: { run: () => void }) {
  return (
    <ShowActions
      definition={definition}
      words={useWords(definition)}
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

  it('are the first that is possible and a menu on a phone', async () => {
    setPhone(true)
    const { user } = await render(<Head run={vi.fn()} />)
    expect(screen.getByRole('button', { name: 'Close' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Reopen' })).toBeNull()
    await user.click(screen.getByRole('button', { name: /more/i }))
    const reopen = await screen.findByRole('menuitem', { name: /Reopen/ })
    expect(reopen.textContent).toContain('Not available for this record now')
  })

  it('have their icons, on buttons and in the menu', async () => {
    setPhone(true)
    const { user } = await render(<Head run={vi.fn()} />)
    const close = screen.getByRole('button', { name: 'Close' })
    await waitFor(() => expect(close.querySelector('.anticon-check svg')).not.toBeNull())
    await user.click(screen.getByRole('button', { name: /more/i }))
    const reopen = await screen.findByRole('menuitem', { name: /^Reopen/ })
    await waitFor(() => expect(reopen.querySelector('.anticon-undo svg')).not.toBeNull())
  })

  it('never offer to deactivate the own account', () => {
    const users = findDefinition('users') as Definition
    const offered = (id: string) =>
      isOffered(users, users.actions?.deactivate as Action, { id, status: 'active' }, { user: { id: 'me' } })
    expect(offered('me')).toBe(false)
    expect(offered('somebody')).toBe(true)
  })
})
