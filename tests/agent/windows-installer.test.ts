import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseOptions } from '../../agent/options'
import { agentFolder } from './support/program'

let script: string
beforeAll(async () => {
  script = readFileSync(join(await agentFolder(), 'install.ps1'), 'utf8')
})

/** Where it first says so. */
const at = (text: string): number => {
  const index = script.indexOf(text)
  expect(index, text).toBeGreaterThan(0)
  return index
}

/** No machine of ours runs it: what is tried is its text. */
describe('the installer for Windows', () => {
  it('checks what it downloads before it ends the agent that runs', () => {
    const checked = at('if ($found -ne $Sha256)')
    expect(checked).toBeLessThan(at("Get-ConsoleFile 'agent.mjs' $AgentSha256"))
    const downloads = [...script.matchAll(/Invoke-WebRequest/g)]
    expect(downloads).toHaveLength(1)
    expect(at("Get-ConsoleFile 'agent.mjs'")).toBeLessThan(at('# The download is complete'))
  })

  it('lets nobody but SYSTEM and administrators write where SYSTEM runs programs, before it writes any', () => {
    expect(at("/grant:r '*S-1-5-18:(OI)(CI)F' '*S-1-5-32-544:(OI)(CI)F'")).toBeLessThan(
      at("Get-ConsoleFile 'agent.mjs'"),
    )
    expect(at('/setowner')).toBeLessThan(at('/inheritance:r'))
    expect(script).toContain('$found.Source -notlike "$env:ProgramFiles\\*"')
  })

  it('hands the token to the agent by standard input alone', () => {
    const uses = script.split('\n').filter((line) => /\$Token\b/.test(line) && !line.trim().startsWith('#'))
    expect(uses.filter((line) => line.includes('& $node'))).toEqual([
      '  $Token | & $node $agent enroll @arguments --token-file -',
    ])
    expect(uses.filter((line) => line.includes('$arguments'))).toEqual([])
    expect(script).toContain('$env:KONSOL_TOKEN = $null')
  })

  it('passes the agent options that it has', () => {
    const options = [...script.matchAll(/'(--[a-z-]+)'/g)].map(([, name]) => name ?? '')
    expect(options).toEqual(['--url', '--data-dir', '--key', '--machine-id', '--signing-key'])
    const values = ['https://c.example', 'C:\\ProgramData\\Konsol', 'key', 'machine-1', 'A'.repeat(60)]
    expect(() =>
      parseOptions(['run', ...options.flatMap((name, n) => [name, values[n] ?? ''])]),
    ).not.toThrow()
  })

  it('runs it as SYSTEM from the start of the machine, and again when it has ended', () => {
    for (const text of [
      '-AtStartup',
      "-UserId 'S-1-5-18'",
      '-RepetitionInterval (New-TimeSpan -Minutes 5)',
      '-MultipleInstances IgnoreNew',
      '-ExecutionTimeLimit ([TimeSpan]::Zero)',
    ])
      expect(script).toContain(text)
  })

  it('removes a whole folder only when it is an agent’s', () => {
    expect(at('if (-not $isOurs) { throw')).toBeLessThan(at('Remove-Item -LiteralPath $DataDir -Recurse'))
    expect(at('Unregister-ScheduledTask')).toBeGreaterThan(at('if ($Uninstall)'))
  })

  it('is plain ASCII, balanced, and written for Windows PowerShell 5.1', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII
    expect(script).toMatch(/^[\x00-\x7f]*$/)
    for (const [open, close] of ['{}', '()', '[]'].map((pair) => [...pair]))
      expect(script.split(open ?? '').length, open).toBe(script.split(close ?? '').length)
    expect(script).not.toMatch(/\?\?|\?\.|&&|\|\||-Parallel/)
  })
})
