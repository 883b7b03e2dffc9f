import { describe, expect, it } from 'vitest'
import { daysLeft, isCompanyActive, licenseState, untilLicenseChanges } from '@/session/license'
import type { SessionUser } from '@/session/types'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const HOUR = 3_600_000
const DAY = 24 * HOUR
const at = (offset: number) => new Date(NOW + offset).toISOString()

function person(changes: Partial<SessionUser> = {}): SessionUser {
  return {
    id: 'u1',
    email: 'ada@acme.test',
    name: 'Ada',
    role: 'Admin',
    companyId: 'c1',
    companyName: 'Acme',
    mfaEnabled: false,
    companyStatus: 'Active',
    licenseType: 'Pro',
    licenseEndDate: null,
    isCompanyActive: true,
    ...changes,
  }
}

describe('the license state', () => {
  it('is active without an end date, and with one more than 30 days away', () => {
    expect(licenseState(person(), NOW)).toEqual({ kind: 'active' })
    const end = at(30 * DAY + 1)
    expect(licenseState(person({ licenseEndDate: end }), NOW)).toEqual({ kind: 'active', endDate: end })
  })

  it.each([
    [30 * DAY, 30],
    [29 * DAY + 1, 30],
    [12 * DAY, 12],
    [DAY + 1, 2],
    [DAY, 1],
    [1, 1],
  ])('is expiring %i ms before the end, with %i days left, rounded up', (left, days) => {
    const state = licenseState(person({ licenseEndDate: at(left) }), NOW)
    expect(state).toMatchObject({ kind: 'expiring', daysLeft: days })
  })

  it('is expired from the very instant of the end, whatever the status still says', () => {
    expect(licenseState(person({ licenseEndDate: at(0) }), NOW).kind).toBe('expired')
    expect(licenseState(person({ licenseEndDate: at(-DAY) }), NOW).kind).toBe('expired')
  })

  it.each(['Expired', 'Suspended'] as const)('is expired while the company is %s', (companyStatus) => {
    const user = person({ companyStatus, isCompanyActive: false, licenseEndDate: at(90 * DAY) })
    expect(licenseState(user, NOW)).toEqual({ kind: 'expired', endDate: at(90 * DAY) })
  })

  it('exempts Super Admins and judges nobody before sign-in', () => {
    expect(licenseState(person({ role: 'Super Admin', companyId: null }), NOW).kind).toBe('exempt')
    expect(licenseState(null, NOW).kind).toBe('active')
  })

  it('accepts an invalid end date', () => {
    expect(licenseState(person({ licenseEndDate: 'soon' }), NOW)).toEqual({ kind: 'active' })
  })
})

describe('when the license is looked at again', () => {
  it.each([
    [31 * DAY, DAY],
    [12 * DAY, DAY],
    [12 * DAY - HOUR, DAY - HOUR],
    [HOUR, HOUR],
  ])('an end %i ms away reads differently in %i ms', (left, wait) => {
    const state = licenseState(person({ licenseEndDate: at(left) }), NOW)
    expect(untilLicenseChanges(state, NOW)).toBe(wait)
  })

  it('never, where time changes nothing', () => {
    expect(untilLicenseChanges(licenseState(person(), NOW), NOW)).toBeUndefined()
    expect(untilLicenseChanges({ kind: 'expired', endDate: at(-1) }, NOW)).toBeUndefined()
  })
})

describe('small rules', () => {
  it('a company is active by its status, and always for a Super Admin', () => {
    expect(isCompanyActive('c1', 'Active')).toBe(true)
    expect(isCompanyActive('c1', 'Suspended')).toBe(false)
    expect(isCompanyActive('c1', null)).toBe(false)
    expect(isCompanyActive(null, null)).toBe(true)
  })

  it('no days are left after the end', () => {
    expect(daysLeft(at(-5 * DAY), NOW)).toBe(0)
  })
})
