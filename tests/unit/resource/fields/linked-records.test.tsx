// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import type { Row } from '@/data/rows'
import { FieldCell } from '@/resource/fields/cells'
import { RecordLink } from '@/resource/fields/relation/record-link'
import { render } from '../../../support/render'

afterEach(cleanup)

describe('records that a field names', () => {
  it('are in the order of their titles, however the database joined them', async () => {
    const value = ['Şube', 'Mac', 'Çağrı', 'Ankara'].map((name, index) => ({ id: String(index), name }))
    await render(
      <FieldCell
        name="groups"
        resource="devices"
        dense={false}
        value={value}
        row={{}}
        field={{
          type: 'many-to-many',
          to: 'groups',
          through: 'group_devices',
          near: 'device_id',
          far: 'group_id',
        }}
      />,
    )
    const names = screen.getAllByRole('link').map((link) => link.textContent)
    expect(names).toEqual(['Ankara', 'Çağrı', 'Mac', 'Şube'])
  })

  it('are links only where their page is open to the user', async () => {
    const acme = <RecordLink to="companies" id="1" row={{ id: '1', name: 'Acme' }} />
    await render(acme)
    expect(screen.getByRole('link', { name: 'Acme' })).toBeTruthy()
    cleanup()
    await render(acme, {
      can: (object) =>
        object === 'company-management' ? { allowed: false, reason: 'role' } : { allowed: true },
    })
    expect(screen.getByText('Acme')).toBeTruthy()
    expect(screen.queryByRole('link')).toBeNull()
  })

  it('are said to be not visible where the database gave nothing of them', async () => {
    const user = (row: Row, can = true) =>
      render(
        <FieldCell
          name="driver_id"
          resource="vehicles"
          dense={false}
          value="1"
          row={row}
          field={{ type: 'user' }}
        />,
        { can: () => (can ? { allowed: true } : { allowed: false, reason: 'role' }) },
      )
    await user({ driver_id: '1', driver_id_row: null })
    expect(screen.getByText('Not visible to you').title).toContain("don't have access")
    cleanup()
    await user({ driver_id: '1' }, false)
    expect(screen.getByText('Not visible to you')).toBeTruthy()
    cleanup()
    await user({ driver_id: '1', driver_id_row: { id: '1', name: 'Ada' } })
    expect(screen.getByText('Ada')).toBeTruthy()
  })
})
