import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { findInterpreter, type Interpreter } from '../../agent/run/interpreters'
import { endOf } from './support/console'
import { until } from './support/machine'
import { backend, device, firstOf, openSite, withPython } from './support/site'

openSite()
const folder = mkdtempSync(join(tmpdir(), 'konsol-interpreters-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function powershell(): Interpreter {
  const path = join(folder, 'pwsh')
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, 0o755)
  const found = findInterpreter('PowerShell', { PATH: folder })
  if (!found) throw new Error('There is no interpreter in the folder.')
  return found
}

it.each([
  'param([string]$Name)\r\nWrite-Output $Name\r\n',
  '<#\n.SYNOPSIS\n  Adds a user.\n#>\n\nparam([string]$Name = "Ayşe")\n',
  '#Requires -Version 5.1\nusing namespace System.IO\n[CmdletBinding()]\nparam([switch]$Force)\n',
  '\uFEFFWrite-Output "ığüşöç"',
  '"100 % of `$x in \'quotes\'"; exit 3',
])('a PowerShell file holds the script as it was written, with one byte order mark: %#', (script) => {
  expect(powershell().text(script)).toBe(`\uFEFF${script.replace(/^\uFEFF/, '')}`)
})

it('a PowerShell script is run by a launcher that sets UTF-8 and keeps the exit codes of -File', () => {
  const args = powershell().args("C:\\Users\\Ada O'Neill\\script.ps1")
  expect(args.slice(0, -2)).toEqual([
    '-NoLogo',
    '-NoProfile',
    '-NonInteractive',
    '-OutputFormat',
    'Text',
    '-ExecutionPolicy',
    'Bypass',
  ])
  expect(args.at(-2)).toBe('-Command')
  expect(args.at(-1)).toBe(
    'try { [Console]::OutputEncoding = $OutputEncoding = New-Object Text.UTF8Encoding $false } catch { }; ' +
      "& 'C:\\Users\\Ada O''Neill\\script.ps1'; if ($?) { exit 0 }; if ($LASTEXITCODE) { exit $LASTEXITCODE }; exit 1",
  )
  // Windows and PowerShell read a double quote in an argument differently.
  expect(args.at(-1)).not.toContain('"')
})

withPython('a script that was written on Windows', () => {
  it.each([
    [
      'Bash with Windows line breaks',
      'Bash',
      'set -e\r\nname="PC 1"\r\nif [ -n "$name" ]; then\r\n  echo "hello $name"\r\nfi\r\n',
      'hello PC 1\n',
    ],
    ['Bash with a byte order mark', 'Bash', '\uFEFF#!/bin/bash\necho marked\n', 'marked\n'],
    ['Bash with both, and a here-document', 'Bash', '\uFEFFcat <<END\r\none\r\ntwo\r\nEND\r\n', 'one\ntwo\n'],
    ['Python with both', 'Python', '\uFEFFif True:\r\n    print("""a\r\nş""")\r\n', 'a\nş\n'],
  ])('runs: %s', async (_name, type, text, output) => {
    const { queue } = await device()
    const run = await until('it has ended', endOf(backend, firstOf(await queue({ type, text }))))
    expect(run).toMatchObject({ status: 'succeeded', exit_code: 0, output })
  })

  it('prints UTF-16, UTF-8 and bytes of an old code page, and all of it can be read', async () => {
    const { queue } = await device()
    const text = `import sys
out = sys.stdout.buffer
out.write("önce\\n".encode())
out.write("NAME\\r\\nUbuntu-Şehir\\r\\n".encode("utf-16le"))
out.write("sonra\\n".encode() + b"before \\xfe\\xe7\\xf0 after\\n")`
    const run = await until('it has ended', endOf(backend, firstOf(await queue({ type: 'Python', text }))))
    expect(run).toMatchObject({
      status: 'succeeded',
      output: 'önce\nNAME\r\nUbuntu-Şehir\r\nsonra\nbefore \uFFFD\uFFFD\uFFFD after\n',
    })
  })
})
