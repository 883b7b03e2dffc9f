// @vitest-environment happy-dom
import { afterEach, expect, it, vi } from 'vitest'
import { isUnderOverlay } from '@/ui/plain-key'

afterEach(() => {
  document.body.innerHTML = ''
})

it.each([
  ['an open menu', true, '<div class="ant-dropdown"><ul role="menu"></ul></div>', true],
  ['an open dialog', true, '<div role="dialog" class="ant-modal"></div>', true],
  [
    'a menu that closes',
    false,
    '<div class="ant-dropdown ant-slide-up-leave"><ul role="menu"></ul></div>',
    true,
  ],
  ['a dialog that closes', false, '<div role="dialog" class="ant-modal ant-zoom-leave"></div>', true],
  ['a closed menu', false, '<div class="ant-dropdown-hidden"><ul role="menu"></ul></div>', false],
])('%s takes the keys: %s', (_, takes, html, isSeen) => {
  document.body.innerHTML = html
  for (const overlay of document.querySelectorAll('[role]'))
    Object.assign(overlay, { checkVisibility: vi.fn(() => isSeen) })
  expect(isUnderOverlay()).toBe(takes)
})
