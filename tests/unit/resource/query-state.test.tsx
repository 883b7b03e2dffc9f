// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DataError, DeniedError } from '@/data/errors'
import { QueryState } from '@/resource/query-state'
import { render } from '../../support/render'

afterEach(cleanup)

const refetch = () => undefined
const pending = { data: undefined, error: null, refetch }
const read = { data: [], error: null, refetch }

describe('the state of a query', () => {
  it('is a skeleton while data is read, with as many lines as the caller expects', async () => {
    await render(<QueryState query={pending} rows={3} />)
    expect(screen.getByRole('status').textContent).toBe('Loading…')
    expect(document.querySelectorAll('.k-skeleton-line')).toHaveLength(3)
  })

  it('is what the caller gives in place of the skeleton', async () => {
    await render(<QueryState query={pending} loading={<p>Counting devices</p>} />)
    expect(screen.getByText('Counting devices')).toBeTruthy()
    expect(screen.queryByRole('status')).toBeNull()
  })

  it('stays a skeleton until each of several queries is read', async () => {
    await render(<QueryState query={[read, pending]} empty={{ title: 'No devices' }} />)
    expect(screen.getByRole('status').textContent).toBe('Loading…')
    expect(screen.queryByText('No devices')).toBeNull()
  })

  it('names the failure, and reads again what failed and nothing else', async () => {
    const again = { failed: vi.fn(), read: vi.fn() }
    const failed = { data: undefined, error: new DataError('disk full', 'P0001'), refetch: again.failed }
    const { user } = await render(
      <QueryState query={[{ ...read, refetch: again.read }, failed]} title="Devices were not counted" />,
    )
    const alert = screen.getByRole('alert')
    expect(alert.textContent).toContain('Devices were not counted')
    expect(alert.textContent).toContain('disk full')
    await user.click(screen.getByRole('button', { name: 'Try again' }))
    expect(again.failed).toHaveBeenCalledTimes(1)
    expect(again.read).not.toHaveBeenCalled()
  })

  it('has the caller’s text for a failure without one of its own', async () => {
    const failed = { ...pending, error: new DataError('', 'XX000') }
    await render(<QueryState query={failed} fallback="The agents were not read." />)
    expect(screen.getByRole('alert').textContent).toContain('The agents were not read.')
  })

  it('gives the reason of a denial, and no retry', async () => {
    const denied = { ...pending, error: new DeniedError('denied', 'without-pro') }
    await render(<QueryState query={denied} />)
    expect(screen.getByRole('alert').textContent).toContain('This needs a Pro license.')
    expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  })

  it('says that there is nothing once all is read', async () => {
    await render(<QueryState query={read} empty={{ title: 'No devices', text: 'Enroll one.' }} />)
    expect(screen.getByText('No devices')).toBeTruthy()
    expect(screen.getByText('Enroll one.')).toBeTruthy()
  })
})
