import { describe, expect, it } from 'vitest'
import { findDefinition } from '@/resource/language/registry'
import { listPosition, nearestRow, neighborPage, positionPath } from '@/resource/screens/show/list-position'

const context = { companyId: 'c1', scope: {} }

function licenses() {
  const definition = findDefinition('software_licenses')
  if (!definition) throw new Error('No such definition')
  return definition
}

describe('the list a record was opened from', () => {
  it('is read from the link: filter, order and page, with nothing but what its order needs', () => {
    const position = listPosition(licenses(), { from: '/software-licenses?page=2&pageSize=20' }, context)
    expect(position?.page).toMatchObject({
      table: 'software_licenses',
      companyId: 'c1',
      page: 2,
      pageSize: 20,
    })
    expect(position?.page.order.at(-1)?.column).toBe('id')
  })

  it('is null when the link came from elsewhere, or is not a path of this console', () => {
    for (const from of ['/tickets', '/', 'https://x.test/software-licenses', '//x.test/software-licenses', 7])
      expect(listPosition(licenses(), { from }, context)).toBeNull()
    expect(listPosition(licenses(), null, context)).toBeNull()
  })

  it('may be under another record, and then holds only its rows', () => {
    const issues = findDefinition('ticket_issues')
    if (!issues) throw new Error('No such definition')
    const from = '/categories/42/?tab=ticket_issues'
    const position = listPosition(issues, { from }, context)
    expect(position?.page.where).toContainEqual(expect.objectContaining({ value: '42' }))
    expect(listPosition(issues, { from: '/categories/42' }, context)).toBeNull()
  })

  it('goes on by the key cursor, and returns to the page of the neighbor', () => {
    const definition = licenses()
    const position = listPosition(definition, { from: '/software-licenses?pageSize=20' }, context)
    if (!position) throw new Error('No position')
    const row = Object.fromEntries(position.page.order.map(({ column }) => [column, `${column}-9`]))
    const next = neighborPage(definition, position, [row], 'after', context)
    expect(next?.page.cursor).toMatchObject({ way: 'after' })
    expect(next && positionPath(definition, next)).toMatch(
      /^\/software-licenses\?page=2&after=\w+.*pageSize=20/,
    )
  })
})

describe('the row beside a record in the page next to its own', () => {
  const list = (...ids: string[]) => ({ rows: ids.map((id) => ({ id })), hasNext: false, hasPrevious: false })
  it('is the nearest one; where the list begins the page may hold the record itself', () => {
    expect(nearestRow(list('d', 'e'), 'c', 'after')).toEqual({ id: 'd' })
    expect(nearestRow(list('a', 'b'), 'c', 'before')).toEqual({ id: 'b' })
    expect(nearestRow(list('a', 'b', 'c', 'd'), 'c', 'before')).toEqual({ id: 'b' })
    expect(nearestRow(list('c', 'd'), 'c', 'before')).toBeUndefined()
    expect(nearestRow(list(), 'c', 'after')).toBeUndefined()
  })
})
