import { describe, expect, it } from 'vitest'
import { expiryAt } from '@/pages/agents/expiry'
import { INSTALL_PLATFORMS, installLine, uninstallLine } from '@/pages/agents/install-lines'

describe('install lines', () => {
  const at = {
    origin: 'https://console.example',
    server: 'https://console.example',
    key: 'public',
    token: 'T0ken_-',
  }

  it('is the documented line on Linux', () => {
    expect(installLine('linux', at)).toBe(
      '{ echo KONSOL_TOKEN=T0ken_-; curl -fsSL https://console.example/agent/install.sh; } | sh',
    )
  })

  it('names a backend that stands elsewhere, and its key', () => {
    const line = installLine('linux', { ...at, server: 'https://api.example' })
    expect(line).toMatch(/\| sh -s -- --url https:\/\/api\.example --key public$/)
    expect(installLine('foreground', at)).not.toContain('--key')
  })

  it('carries token and server on every system, and hands the token to no program as an argument', () => {
    for (const platform of INSTALL_PLATFORMS) {
      const line = installLine(platform, at)
      expect(line).toContain('T0ken_-')
      // Every command of the line with its arguments; echo, and a string of PowerShell, start no program.
      const programs = line.split(/[;|]|&&|[{}]/).map((command) => command.trim())
      for (const command of programs.filter((text) => text.includes('T0ken_-')))
        expect(command).toMatch(/^echo |^'[^']*'$/)
      expect(line).not.toContain('\n')
      if (!/install\.(sh|ps1)/.test(line)) expect(line).toContain('--url https://console.example')
    }
  })

  it('names a hosted backend on Windows in its script’s own words', () => {
    expect(installLine('windows', at)).toBe(
      "'T0ken_-' | & ([scriptblock]::Create((irm https://console.example/agent/install.ps1)))",
    )
    expect(installLine('windows', { ...at, server: 'https://api.example' })).toMatch(
      / -Url https:\/\/api\.example -Key public$/,
    )
  })

  it('removes what an installer has installed', () => {
    expect(uninstallLine('linux', at.origin)).toBe(
      'curl -fsSL https://console.example/agent/install.sh | sh -s -- --uninstall',
    )
    expect(uninstallLine('windows', at.origin)).toMatch(/install\.ps1\)\)\) -Uninstall$/)
    expect(uninstallLine('foreground', at.origin)).toBeNull()
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
