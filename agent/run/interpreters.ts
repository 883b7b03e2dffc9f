import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { ScriptType } from '../protocol'

export interface Interpreter {
  path: string
  /** Arguments that run the file. */
  args: (file: string) => string[]
  /** The same for a command of a terminal: its last working directory is written to the file in TERMINAL_VARIABLE. */
  terminalArgs: (file: string) => string[]
  extension: string
  /** The content of the file: the script as its author wrote it, in the line breaks and the encoding that this system reads. */
  text: (script: string) => string
}

interface Kind {
  /** Programs to look for; none for this one itself. */
  names: readonly string[] | null
  extension: string
  args: (file: string) => string[]
  terminalArgs?: (file: string) => string[]
  text?: (script: string) => string
  only?: NodeJS.Platform
}

/** Windows PowerShell reads a file without a byte order mark in the old code page. */
const BOM = '\uFEFF'
const withoutBom = (script: string): string => (script.startsWith(BOM) ? script.slice(BOM.length) : script)

const inQuotes = (text: string): string => `'${text.replaceAll("'", "''")}'`

/**
 * Sets the encoding and runs the file, so that the file holds the script alone: `using`, `#Requires`, attributes and
 * `param()` must come first in it. The exit codes are those of `-File`: that of `exit`, 1 for an uncaught error, else
 * 0. No `try` surrounds the script: inside one, errors that a script survives would end it. There are no double
 * quotes, which Windows and PowerShell escape differently.
 */
const powershellLauncher = (file: string, afterwards: readonly string[] = []): string =>
  [
    'try { [Console]::OutputEncoding = $OutputEncoding = New-Object Text.UTF8Encoding $false } catch { }',
    `& ${inQuotes(file)}`,
    ...(afterwards.length > 0
      ? ['$KonsolOk = $?', ...afterwards, 'if ($KonsolOk) { exit 0 }']
      : ['if ($?) { exit 0 }']),
    'if ($LASTEXITCODE) { exit $LASTEXITCODE }',
    'exit 1',
  ].join('; ')

/** Names the file that keeps the working directory between the commands of a terminal. */
export const TERMINAL_VARIABLE = 'KONSOL_TERMINAL'
const POWERSHELL = [
  '-NoLogo',
  '-NoProfile',
  '-NonInteractive',
  '-OutputFormat',
  'Text',
  '-ExecutionPolicy',
  'Bypass',
]
const POWERSHELL_KEEPS_FOLDER = `[IO.File]::WriteAllText($env:${TERMINAL_VARIABLE}, (Get-Location -PSProvider FileSystem).ProviderPath)`

const KINDS: Record<ScriptType, Kind> = {
  Python: { names: ['python3', 'python', 'py'], extension: 'py', args: (file) => [file] },
  Bash: {
    names: ['bash'],
    extension: 'sh',
    args: (file) => [file],
    terminalArgs: (file) => ['-c', `trap 'pwd >"$${TERMINAL_VARIABLE}"' EXIT; . "$0"`, file],
    // A script that was edited on Windows: bash takes a carriage return for a part of the last word.
    text: (script) => withoutBom(script).replaceAll('\r\n', '\n'),
  },
  PowerShell: {
    names: process.platform === 'win32' ? ['powershell', 'pwsh'] : ['pwsh', 'powershell'],
    extension: 'ps1',
    args: (file) => [...POWERSHELL, '-Command', powershellLauncher(file)],
    terminalArgs: (file) => [...POWERSHELL, '-Command', powershellLauncher(file, [POWERSHELL_KEEPS_FOLDER])],
    text: (script) => BOM + withoutBom(script),
  },
  Batch: {
    names: ['cmd'],
    extension: 'cmd',
    // /s takes the outermost quotes away, and nothing else.
    args: (file) => ['/d', '/s', '/c', `"chcp 65001>nul & "${file}""`],
    // The caret keeps the exit code from being read before the file has run.
    terminalArgs: (file) => [
      '/d',
      '/s',
      '/c',
      `"chcp 65001>nul & call "${file}" & call set KONSOL_CODE=%^errorlevel% & cd>"%${TERMINAL_VARIABLE}%" & call exit %^KONSOL_CODE%"`,
    ],
    // Labels are not found in a file with other line breaks, and a byte order mark would be part of the first command.
    text: (script) => withoutBom(script).replace(/\r?\n/g, '\r\n'),
    only: 'win32',
  },
  Agent: {
    names: null,
    extension: 'json',
    args: (file) => [process.argv[1] ?? '', 'task', file],
  },
}

export const isScriptType = (type: string): type is ScriptType => Object.hasOwn(KINDS, type)

/** The first installed interpreter for a script type; null if none is installed. */
export function findInterpreter(type: ScriptType, env: NodeJS.ProcessEnv = process.env): Interpreter | null {
  const kind = KINDS[type]
  if (kind.only && kind.only !== process.platform) return null
  for (const name of kind.names ?? [process.execPath]) {
    const path = kind.names === null ? name : onPath(name, env)
    if (path)
      return {
        path,
        args: kind.args,
        terminalArgs: kind.terminalArgs ?? kind.args,
        extension: kind.extension,
        text: kind.text ?? ((script) => script),
      }
  }
  return null
}

export const soughtNames = (type: ScriptType): string => (KINDS[type].names ?? []).join(', ')

function onPath(name: string, env: NodeJS.ProcessEnv): string | null {
  const isWindows = process.platform === 'win32'
  // A service starts with a bare PATH; these are where systems put interpreters.
  const usual = isWindows ? [] : ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin']
  for (const folder of [...(env.PATH ?? env.Path ?? '').split(delimiter), ...usual]) {
    if (!folder) continue
    for (const suffix of isWindows ? ['.exe', '.cmd', '.bat'] : ['']) {
      const path = join(folder, name + suffix)
      // The Microsoft Store's Python alias opens the Store instead of running a script.
      if (isWindows && /\\WindowsApps\\/i.test(path)) continue
      if (isExecutable(path)) return path
    }
  }
  return null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
