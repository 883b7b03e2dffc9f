import { execFile } from 'node:child_process'

/** A command's output; null where the command is missing, fails or takes too long. The C locale makes it readable. */
export function printed(command: string, args: readonly string[], seconds = 30): Promise<string | null> {
  return new Promise((done) => {
    execFile(
      command,
      [...args],
      {
        timeout: seconds * 1000,
        maxBuffer: 64 * 1024 * 1024,
        windowsHide: true,
        env: { ...process.env, LC_ALL: 'C', LANG: 'C' },
      },
      (error, stdout) => done(error ? null : stdout),
    )
  })
}
