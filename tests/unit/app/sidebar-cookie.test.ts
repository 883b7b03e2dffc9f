import { describe, expect, it } from 'vitest'
import { isSidebarOpen, sidebarCookie } from '@/app/sidebar-cookie'

describe('the sidebar’s cookie', () => {
  it('says closed, lasts seven days and is open by default', () => {
    expect(isSidebarOpen('')).toBe(true)
    expect(isSidebarOpen('a=1; sidebar_state=false')).toBe(false)
    expect(isSidebarOpen('sidebar_state=true')).toBe(true)
    expect(sidebarCookie(false)).toContain('sidebar_state=false')
    expect(sidebarCookie(false)).toContain('max-age=604800')
  })
})
