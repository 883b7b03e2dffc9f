import { spawn } from 'node:child_process'

/** A program with its arguments; a text is never parsed by a shell. */
export interface Command {
  file: string
  args: readonly string[]
  env?: Record<string, string>
  /** Exit codes that count as success besides 0. */
  alsoOk?: readonly number[]
  windowsVerbatimArguments?: boolean
}

/** Writes to the output of the task, which the console shows while it grows. */
export const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** Runs a command, with its output in that of the task, and returns its exit code; 127 when it cannot be started. */
export function run(command: Command): Promise<number> {
  say(`> ${[command.file, ...command.args].join(' ')}`)
  return new Promise((done) => {
    const child = spawn(command.file, [...command.args], {
      stdio: ['ignore', 'inherit', 'inherit'],
      windowsHide: true,
      windowsVerbatimArguments: command.windowsVerbatimArguments ?? false,
      env: { ...process.env, LC_ALL: 'C', ...command.env },
    })
    child.once('error', (error) => {
      say(`${command.file} could not be started: ${error.message}`)
      done(127)
    })
    child.once('close', (code) => {
      const ended = code ?? 1
      done(command.alsoOk?.includes(ended) ? 0 : ended)
    })
  })
}

/** Runs commands until one fails, and returns the exit code of the last. */
export async function runAll(commands: readonly Command[]): Promise<number> {
  for (const command of commands) {
    const code = await run(command)
    if (code !== 0) return code
  }
  return 0
}
