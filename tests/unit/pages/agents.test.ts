import { describe, expect, it } from 'vitest'
import { expiryAt } from '@/pages/agents/expiry'
import { INSTALL_PLATFORMS, installLine } from '@/pages/agents/install-lines'
import { tokenState } from '@/pages/agents/token-state'

describe('install lines', () => {
  const at = {
    origin: 'https://console.example',
    server: 'https://console.example',
    key: 'public',
    token: 'T0ken_-',
  }

  it('is the documented line on Linux', () => {
    expect(installLine('linux', at)).toBe(
      'curl -fsSL https://console.example/agent/install.sh | sh -s -- --token T0ken_-',
    )
  })

  it('names a backend that stands elsewhere, and its key', () => {
    const line = installLine('linux', { ...at, server: 'https://api.example' })
    expect(line).toContain('--url https://api.example --key public --token T0ken_-')
    expect(installLine('foreground', at)).not.toContain('--key')
  })

  it('carries token and server on every system', () => {
    for (const platform of INSTALL_PLATFORMS) {
      const line = installLine(platform, at)
      expect(line).toContain('--token T0ken_-')
      expect(line).not.toContain('\n')
      if (!line.includes('install.sh')) expect(line).toContain('--url https://console.example')
    }
  })
})

describe('token state', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  const open = { revoked_at: null, expires_at: null, max_uses: null, used_count: 5 }

  it('says what an agent would meet', () => {
    expect(tokenState(open, now)).toBe('active')
    expect(tokenState({ ...open, expires_at: '2026-11-21T12:00:00Z' }, now)).toBe('expired')
    expect(tokenState({ ...open, max_uses: 5 }, now)).toBe('used_up')
    expect(tokenState({ ...open, max_uses: 6 }, now)).toBe('active')
    expect(tokenState({ ...open, max_uses: 5, revoked_at: '2026-11-20T00:00:00Z' }, now)).toBe('revoked')
  })
})

describe('expiry', () => {
  it('is an instant from now, or none', () => {
    const now = Date.parse('2026-11-21T12:00:00Z')
    expect(expiryAt('1h', now)).toBe('2026-11-21T13:00:00.000Z')
    expect(expiryAt('30d', now)).toBe('2026-12-21T12:00:00.000Z')
    expect(expiryAt('never', now)).toBeNull()
  })
})
