import { execFile } from 'node:child_process'

/** What a command printed; null where it is missing, fails or takes too long. Runs in the C locale, so that it can be read. */
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
