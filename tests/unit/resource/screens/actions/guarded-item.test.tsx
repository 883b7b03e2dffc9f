// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { Menu } from 'antd'
import { afterEach, describe, expect, it } from 'vitest'
import type { Verdict } from '@/access/policy'
import { useGuardedItem } from '@/resource/screens/actions/use-guarded-item'
import { render } from '../../../../support/render'

function Items({ reason }: { reason?: string }) {
  const guard = useGuardedItem()
  const onClick = () => undefined
  return (
    <Menu
      items={[
        { key: 'open', label: 'Open' },
        ...guard({ key: 'delete', label: 'Delete', object: 'groups', verb: 'delete', reason, onClick }),
      ]}
    />
  )
}

const show = (verdict: Verdict, reason?: string) => render(<Items reason={reason} />, { can: () => verdict })
const entry = () => screen.queryByRole('menuitem', { name: /Delete/ })

afterEach(cleanup)

describe('a guarded menu entry', () => {
  it('is there for a role that may', async () => {
    await show({ allowed: true })
    expect(entry()?.getAttribute('aria-disabled')).not.toBe('true')
  })

  it('is not there for a role that never may', async () => {
    await show({ allowed: false, reason: 'role' })
    expect(screen.getByRole('menuitem', { name: 'Open' })).toBeTruthy()
    expect(entry()).toBeNull()
  })

  it('is disabled with the reason while the license forbids it', async () => {
    await show({ allowed: false, reason: 'read-only' })
    expect(entry()?.getAttribute('aria-disabled')).toBe('true')
    expect(entry()?.textContent).toContain('license is not active')
  })

  it('is disabled with the reason while the record does not allow it', async () => {
    await show({ allowed: true }, 'Not possible now')
    expect(entry()?.getAttribute('aria-disabled')).toBe('true')
    expect(entry()?.textContent).toContain('Not possible now')
  })
})
