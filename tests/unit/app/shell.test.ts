import { describe, expect, it } from 'vitest'
import { initials } from '@/app/initials'
import { licenseNotice } from '@/app/license-notice'
import { isSidebarOpen, sidebarCookie } from '@/app/sidebar-cookie'

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

  it('stands without a date where a suspended company has none', () => {
    expect(licenseNotice({ kind: 'expired' }, 'en')).toEqual({ kind: 'expired', date: null })
  })

  it('is shown to nobody whose license is fine, nor to Super Admins', () => {
    expect(licenseNotice({ kind: 'active', endDate }, 'en')).toBeNull()
    expect(licenseNotice({ kind: 'exempt' }, 'en')).toBeNull()
  })
})

describe('the sidebar’s cookie', () => {
  it('says closed, lasts seven days and is open by default', () => {
    expect(isSidebarOpen('')).toBe(true)
    expect(isSidebarOpen('a=1; sidebar_state=false')).toBe(false)
    expect(isSidebarOpen('sidebar_state=true')).toBe(true)
    expect(sidebarCookie(false)).toContain('sidebar_state=false')
    expect(sidebarCookie(false)).toContain('max-age=604800')
  })
})

describe('initials', () => {
  it('come from the first and the last word, in the reader’s alphabet', () => {
    expect(initials('Işıl Yılmaz', 'tr')).toBe('IY')
    expect(initials('ilker öz demir', 'tr')).toBe('İD')
    expect(initials('ada', 'en')).toBe('A')
    expect(initials('  ', 'en')).toBe('?')
  })
})
