// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { FieldCell } from '@/resource/fields/cells'
import { findDefinition } from '@/resource/language/registry'
import { parseListState } from '@/resource/request/query/list-state'
import { render } from '../../../support/render'

afterEach(cleanup)

const DEVICE = '00000000-0000-4000-8000-000000000001'

async function draw(name: 'missing_updates' | 'open_alerts', value: number, denied: readonly string[] = []) {
  const field = findDefinition('devices')?.fields[name]
  if (field?.type !== 'number') throw new Error(`${name} is not a number`)
  const props = { name, resource: 'devices', dense: false, value, row: { id: DEVICE } }
  await render(<FieldCell {...props} field={field} />, {
    can: (object) => (denied.includes(object) ? { allowed: false, reason: 'role' } : { allowed: true }),
  })
}

/** The filters of the list that the link opens, as its address is read. */
function opened(resource: string) {
  const definition = findDefinition(resource)
  if (!definition) throw new Error(`No definition of ${resource}`)
  const [path, query] = String(screen.getByRole('link').getAttribute('href')).split('?')
  const { filters, where, badWhere } = parseListState(new URLSearchParams(query), definition, findDefinition)
  return { path, filters, where, badWhere }
}

describe('a number that counts records', () => {
  it('leads to the updates that a device lacks, superseded ones too', async () => {
    await draw('missing_updates', 1204)
    expect(screen.getByRole('link').textContent).toBe('1,204')
    expect(opened('device_patches')).toEqual({
      path: '/patch-management',
      filters: { device_id: DEVICE },
      where: {
        _and: [
          { status: { _neq: 'installed' } },
          { _or: [{ superseded: { _eq: false } }, { superseded: { _eq: true } }] },
        ],
      },
      badWhere: null,
    })
  })

  it('leads to the alerts of a device that are not resolved', async () => {
    await draw('open_alerts', 3)
    expect(opened('alerts')).toEqual({
      path: '/alerts',
      filters: { device_id: DEVICE },
      where: { status: { _in: ['open', 'acknowledged'] } },
      badWhere: null,
    })
  })

  it('leads nowhere when it is zero, or when its list is not open to the user', async () => {
    await draw('open_alerts', 0)
    expect(screen.queryByRole('link')).toBeNull()
    cleanup()
    await draw('missing_updates', 2, ['device_patches'])
    expect(screen.getByText('2')).toBeTruthy()
    expect(screen.queryByRole('link')).toBeNull()
  })
})
