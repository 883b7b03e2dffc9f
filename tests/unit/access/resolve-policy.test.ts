import { describe, expect, it } from 'vitest'
import type { PolicyLine } from '@/access/policy'
import { resolvePolicy } from '@/access/resolve-policy'

const p = (role: string, object: string, verb: string, effect = 'allow'): PolicyLine => [
  'p',
  role,
  object,
  verb,
  effect,
]

const ADMIN: PolicyLine[] = [
  p('Admin', 'devices', 'list'),
  p('Admin', 'devices', 'edit'),
  p('Admin', 'automation', 'list'),
  p('Admin', 'automation', 'edit'),
]
const READ_ONLY = p('read-only', '*', 'write', 'deny')
const WITHOUT_PRO = p('without-pro', 'automation', '*', 'deny')

const allowed = { allowed: true }
const refused = (reason: string) => ({ allowed: false, reason })

describe('the permission map', () => {
  it('allows what a line allows and nothing else', async () => {
    const map = await resolvePolicy({ roles: ['Admin'], lines: ADMIN })
    expect(map.can('devices', 'edit')).toEqual(allowed)
    expect(map.can('devices', 'delete')).toEqual(refused('role'))
    expect(map.can('tickets', 'list')).toEqual(refused('role'))
  })

  it('matches whole names only', async () => {
    const map = await resolvePolicy({ roles: ['Admin'], lines: ADMIN })
    expect(map.can('devices', 'lis')).toEqual(refused('role'))
    expect(map.can('devices', 'list_secrets')).toEqual(refused('role'))
    expect(map.can('device', 'list')).toEqual(refused('role'))
    expect(map.can('devices_archive', 'list')).toEqual(refused('role'))
  })

  it('gives names that no line mentions to the holder of the star, and keeps them from everybody else', async () => {
    const everything = await resolvePolicy({
      roles: ['Super Admin'],
      lines: [p('Super Admin', '*', '*')],
    })
    expect(everything.can('printers', 'retire')).toEqual(allowed)
    expect(everything.can('', '')).toEqual(allowed)
    const admin = await resolvePolicy({ roles: ['Admin'], lines: ADMIN })
    expect(admin.can('', '')).toEqual(refused('role'))
    expect(admin.can('*', '*')).toEqual(refused('role'))
  })

  it('lets read-only deny every verb but reading, the verbs of later resources included', async () => {
    const map = await resolvePolicy({
      roles: ['Admin', 'read-only'],
      lines: [...ADMIN, p('Admin', 'devices', 'export'), p('Admin', 'devices', 'frobnicate'), READ_ONLY],
    })
    expect(map.can('devices', 'list')).toEqual(allowed)
    expect(map.can('devices', 'export')).toEqual(allowed)
    expect(map.can('devices', 'edit')).toEqual(refused('read-only'))
    expect(map.can('devices', 'frobnicate')).toEqual(refused('read-only'))
  })

  it('names the role before the license, and the ended license before the missing Pro', async () => {
    const map = await resolvePolicy({
      roles: ['Admin', 'read-only', 'without-pro'],
      lines: [...ADMIN, READ_ONLY, WITHOUT_PRO],
    })
    expect(map.can('devices', 'delete')).toEqual(refused('role'))
    expect(map.can('automation', 'delete')).toEqual(refused('role'))
    expect(map.can('automation', 'edit')).toEqual(refused('read-only'))
    expect(map.can('automation', 'list')).toEqual(refused('without-pro'))
  })

  it('closes Pro screens without Pro, for reading too, and leaves the rest open', async () => {
    const map = await resolvePolicy({ roles: ['Admin', 'without-pro'], lines: [...ADMIN, WITHOUT_PRO] })
    expect(map.can('automation', 'list')).toEqual(refused('without-pro'))
    expect(map.can('devices', 'edit')).toEqual(allowed)
  })

  it('hands lines on to those who inherit, denials too', async () => {
    const lines = [...ADMIN, ['g', 'Chief', 'Admin'], p('Chief', 'devices', 'edit', 'deny')]
    const map = await resolvePolicy({ roles: ['Chief'], lines })
    expect(map.can('devices', 'list')).toEqual(allowed)
    expect(map.can('devices', 'edit')).toEqual(refused('role'))
  })

  it('asks the lines of an object and those of the star together, whatever was asked before', async () => {
    const map = await resolvePolicy({
      roles: ['Admin'],
      lines: [
        ...ADMIN,
        p('Admin', '*', 'list', 'deny'),
        p('Admin', 'tickets', 'edit'),
        p('Admin', '*', 'ping'),
      ],
    })
    expect(map.can('devices', 'edit')).toEqual(allowed)
    expect(map.can('devices', 'list')).toEqual(refused('role'))
    expect(map.can('*', 'ping')).toEqual(allowed)
    expect(map.can('*', 'edit')).toEqual(refused('role'))
    expect(map.can('tickets', 'ping')).toEqual(allowed)
    expect(map.can('tickets', 'edit')).toEqual(allowed)
    expect(map.can('automation', 'edit')).toEqual(allowed)
    expect(map.can('automation', 'delete')).toEqual(refused('role'))
  })

  it('allows nothing without a role or without lines', async () => {
    const nobody = await resolvePolicy({ roles: [], lines: ADMIN })
    expect(nobody.can('devices', 'list')).toEqual(refused('role'))
    const empty = await resolvePolicy({ roles: ['Admin'], lines: [] })
    expect(empty.can('devices', 'list')).toEqual(refused('role'))
    expect(empty.can('', '')).toEqual(refused('role'))
  })
})
