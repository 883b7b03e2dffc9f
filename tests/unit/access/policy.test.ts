import { describe, expect, it } from 'vitest'
import { msUntilChange, readPolicy } from '@/access/policy'

const ANSWER = {
  role: 'Admin',
  companyId: '0b7f2f0e-0000-4000-8000-000000000001',
  roles: ['Admin'],
  now: '2026-11-21T10:00:00.000+00:00',
  until: null,
  lines: [['p', 'Admin', 'devices', 'list', 'allow']],
  allRoles: [{ name: 'Admin', isGrantable: true, hasCompany: true }],
}

describe('readPolicy', () => {
  it('takes what the database answers', () => {
    expect(readPolicy(ANSWER)).toEqual(ANSWER)
    expect(readPolicy({ ...ANSWER, role: null, companyId: null, roles: [], lines: [] }).role).toBeNull()
  })

  it.each([
    ['nothing', null],
    ['a text', 'Admin'],
    ['no lines', { ...ANSWER, lines: undefined }],
    ['a line that is no list', { ...ANSWER, lines: ['p'] }],
    ['a cell that is no text', { ...ANSWER, lines: [['p', 1]] }],
    ['roles that are no list', { ...ANSWER, roles: 'Admin' }],
    ['no roles', { ...ANSWER, allRoles: undefined }],
    ['a role without its facts', { ...ANSWER, allRoles: [{ name: 'Admin' }] }],
    ['no clock', { ...ANSWER, now: undefined }],
  ])('refuses %s rather than guessing rights', (_what, answer) => {
    expect(() => readPolicy(answer)).toThrow()
  })
})

describe('msUntilChange', () => {
  it('counts on the server’s clock', () => {
    expect(msUntilChange({ ...ANSWER, until: '2026-11-21T10:00:01.500+00:00' })).toBe(1500)
  })
  it('is null when nothing is going to change, and zero when it already has', () => {
    expect(msUntilChange(ANSWER)).toBeNull()
    expect(msUntilChange({ ...ANSWER, until: '2026-11-21T09:00:00+00:00' })).toBe(0)
  })
})
