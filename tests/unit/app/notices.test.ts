// @vitest-environment happy-dom
import { describe, expect, it } from 'vitest'
import { licenseNotice } from '@/app/shell/notices'

describe('the license banner', () => {
  const endDate = '2027-03-12T09:00:00Z'

  it('writes the end date out in the reader’s language', () => {
    expect(licenseNotice({ kind: 'expired', endDate }, 'tr')).toEqual({
      kind: 'expired',
      date: '12 Mart 2027',
    })
    expect(licenseNotice({ kind: 'expiring', daysLeft: 12, endDate }, 'en')).toEqual({
      kind: 'expiring',
      days: 12,
      date: '12 Mar 2027',
    })
  })

  it('has no date where a suspended company has none', () => {
    expect(licenseNotice({ kind: 'expired' }, 'en')).toEqual({ kind: 'expired', date: null })
  })

  it('is shown to nobody whose license is fine, nor to Super Admins', () => {
    expect(licenseNotice({ kind: 'active', endDate }, 'en')).toBeNull()
    expect(licenseNotice({ kind: 'exempt' }, 'en')).toBeNull()
  })
})
