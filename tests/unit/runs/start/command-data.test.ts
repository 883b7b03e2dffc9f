import { describe, expect, it } from 'vitest'
import { initialType } from '@/runs/start/command-data'

const on = (...platforms: (string | null)[]) => initialType(platforms.map((platform) => ({ platform })))

describe('the type that a command form begins with', () => {
  it('is Bash where every chosen device runs it and none of them PowerShell', () => {
    expect(on('linux')).toBe('Bash')
    expect(on('linux', 'macos')).toBe('Bash')
  })

  it('is PowerShell on Windows, on several systems, on unknown ones and before a choice', () => {
    expect(on('windows')).toBe('PowerShell')
    expect(on('linux', 'windows')).toBe('PowerShell')
    expect(on(null)).toBe('PowerShell')
    expect(on()).toBe('PowerShell')
  })
})
