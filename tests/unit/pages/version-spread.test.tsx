// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { VersionSpread } from '@/pages/agents/version-spread'
import { fakeData, render } from '../../support/render'

afterEach(cleanup)

const rollout = { version: '0.1.0+b', outdated: 0, updating: 0, failed: 0, automatic: true }

async function show(more: Partial<typeof rollout> | { version: null }, options: object = {}) {
  const data = fakeData()
  data.custom.mockImplementation(async ({ url }) => ({
    data: url === 'rpc/rollout_status' ? { ...rollout, ...more } : [{ agent_version: '0.1.0+b', devices: 3 }],
  }))
  await render(<VersionSpread />, { companyId: 'acme', data, ...options })
  await screen.findByText('3 devices')
}

const linkOf = (name: string) => screen.getByRole('link', { name }).getAttribute('href')

describe('the versions of agents', () => {
  it('say what is current, and that all have it', async () => {
    await show({})
    expect(screen.getByText('Current version: 0.1.0+b')).toBeTruthy()
    expect(screen.getByText('All agents are up to date')).toBeTruthy()
    expect(screen.queryByRole('link')).toBeNull()
  })

  it('count those that are outdated, updating or failed, and lead to them', async () => {
    await show({ outdated: 4, updating: 2, failed: 1 })
    expect(screen.getByText('4 outdated')).toBeTruthy()
    expect(linkOf('2 updating')).toBe('/agents?view=updating')
    expect(linkOf('1 failed to update')).toBe('/agents?view=update_failed')
  })

  it('say that nothing is updated automatically, with the way to change it for those who may see policies', async () => {
    await show({ outdated: 1, automatic: false })
    expect(screen.getByText(/Automatic updates are off/)).toBeTruthy()
    expect(linkOf('Set up')).toBe('/policies?view=agent')
    cleanup()
    await show({ outdated: 1, automatic: false }, { can: () => ({ allowed: false, reason: 'role' }) })
    expect(screen.getByText(/Automatic updates are off/)).toBeTruthy()
    expect(screen.queryByRole('link')).toBeNull()
  })

  it('say nothing of updates where the server serves no agent', async () => {
    await show({ version: null })
    expect(screen.queryByText(/Current version|outdated|Automatic/)).toBeNull()
  })
})
