// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MenuButton, roomBeside } from '@/ui/menu-button'
import { render } from '../../support/render'

afterEach(cleanup)

const menu = (onClick = vi.fn()) => (
  <MenuButton
    menu={{
      items: [
        { key: 'open', label: 'Open' },
        { key: 'move', label: 'Move to Waiting' },
      ],
      onClick,
    }}
  >
    <button type="button">Actions</button>
  </MenuButton>
)

describe('MenuButton', () => {
  it('takes the focus at its first item, and gives it back', async () => {
    const onClick = vi.fn()
    const { user } = await render(menu(onClick))
    const button = screen.getByRole('button', { name: 'Actions' })
    button.focus()
    await user.keyboard('{Enter}')
    const first = await screen.findByRole('menuitem', { name: 'Open' })
    await waitFor(() => expect(document.activeElement).toBe(first))
    await user.click(first)
    expect(onClick).toHaveBeenCalledOnce()
    expect(onClick.mock.calls[0]?.[0].key).toBe('open')
    expect(document.activeElement).toBe(button)
  })

  it('is no higher than the room beside its button', async () => {
    const { user } = await render(menu())
    const button = screen.getByRole('button', { name: 'Actions' })
    vi.spyOn(button, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 300, 32, 32))
    vi.spyOn(document.documentElement, 'clientHeight', 'get').mockReturnValue(700)
    await user.click(button)
    const list = await screen.findByRole('menu')
    expect(list.style.maxHeight).toBe('356px')
    expect(list.style.overflowY).toBe('auto')
  })
})

describe('roomBeside', () => {
  it('takes the larger side, and never less than two items', () => {
    expect(roomBeside({ top: 500, bottom: 532 }, 800)).toBe(488)
    expect(roomBeside({ top: 100, bottom: 132 }, 800)).toBe(656)
    expect(roomBeside({ top: 40, bottom: 72 }, 100)).toBe(96)
  })
})
