import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { licenseChanges, roleChanges, tellChange } from '../../../scripts/policies/changes'
import { parseLines } from '../../../scripts/policies/lines'
import { inspectRelations } from '../../../scripts/resource/check-relations'

const lines = (...texts: string[]) => parseLines('any.csv', texts.join('\n')).map(({ cells }) => cells)

const BEFORE = [
  'p, Super Admin, *, *, allow',
  'p, Teknik, devices, list, allow',
  'p, Teknik, tickets, export, allow',
  'g, Lead, Teknik',
  'p, Lead, groups, edit, allow',
]

/** The output of `npm run policies`. */
function told(after: string[], holders: Record<string, number> | null = null): string[] {
  const counts = holders && new Map(Object.entries(holders))
  return roleChanges(lines(...BEFORE), lines(...after)).map((change) => tellChange(change, counts))
}

const without = (...gone: string[]) => BEFORE.filter((line) => !gone.includes(line))

describe('who gains and loses what', () => {
  it('is told by role, inheritance included, with the accounts that have it', () => {
    const after = [
      ...without('p, Teknik, tickets, export, allow'),
      'p, Teknik, devices, delete, allow',
      'p, Teknik, devices, show, allow',
    ]
    expect(told(after, { Teknik: 3, Lead: 1 })).toEqual([
      'Lead gains devices: delete, show; loses tickets: export. 1 account has this role.',
      'Teknik gains devices: delete, show; loses tickets: export. 3 accounts have this role.',
    ])
    expect(told(after, {})[0]).toMatch(/Nobody has this role\.$/)
    expect(told(after)[0]).toBe('Lead gains devices: delete, show; loses tickets: export.')
  })

  it('says nothing of a role that may do the same as before', () => {
    // Lead keeps by a line of its own what it inherited.
    const after = [...without('p, Teknik, tickets, export, allow'), 'p, Lead, tickets, export, allow']
    expect(told(after)).toEqual(['Teknik loses tickets: export.'])
    expect(told(BEFORE)).toEqual([])
  })

  it.each([
    ['of one verb', 'p, Lead, devices, list, deny', 'Lead loses devices: list.'],
    ['of every verb', 'p, Lead, groups, *, deny', 'Lead loses groups: edit.'],
    ['of every write', 'p, Lead, *, write, deny', 'Lead loses groups: edit.'],
    ['to who may do everything', 'p, Super Admin, groups, edit, deny', 'Super Admin loses groups: edit.'],
  ])('counts a denial %s', (_what, line, text) => {
    expect(told([...BEFORE, line])).toEqual([text])
  })

  it('names new roles and removed ones', () => {
    expect(told([...BEFORE, 'g, Auditor, Teknik', 'p, Auditor, tickets, *, deny'])).toEqual([
      'Auditor is a new role and may do devices: list.',
    ])
    expect(told(without('g, Lead, Teknik', 'p, Lead, groups, edit, allow'), { Lead: 0 })).toEqual([
      'Lead is removed. Nobody has this role.',
    ])
  })

  it('says what a missing license closes or opens again', () => {
    const before = lines('p, without-pro, patches, *, deny', 'p, without-pro, apps, *, deny')
    const after = lines('p, without-pro, patches, *, deny', 'p, without-pro, monitors, *, deny')
    expect(licenseChanges(before, after)).toEqual([
      'without-pro now denies monitors: *.',
      'without-pro no longer denies apps: *.',
    ])
    expect(roleChanges(before, after)).toEqual([])
  })
})

describe('a relation', () => {
  const definition = {
    name: 'vehicles',
    fields: {
      driver_id: { type: 'user' },
      depot_id: { type: 'relation', to: 'depots' },
      groups: { type: 'many-to-many', to: 'groups', through: 'x', near: 'a', far: 'b' },
      created_by: { type: 'user', readonly: true },
    },
  } as Definition
  const standard = (...texts: string[]) => parseLines('standard.csv', texts.join('\n'))

  it('is named where a role may list its records and not what it points at', () => {
    const list = (object: string) => `p, Standard, ${object}, list, allow`
    expect(inspectRelations(definition, standard(list('depots')))).toEqual([])
    const found = inspectRelations(definition, standard(list('vehicles'), list('depots')))
    expect(found.map(({ pointer }) => pointer)).toEqual(['/fields/driver_id', '/fields/groups'])
    expect(found[0]).toMatchObject({
      message: 'Standard may list `vehicles` but not `people`: `driver_id` reads "Not visible to you"',
      hint: expect.stringContaining('`p, Standard, people, list, allow` to policies/standard.csv'),
      isWarning: true,
    })
  })
})
