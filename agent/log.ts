/** Logs an event as one line with the time. Never pass a secret, a token, a script or its output. */
export function log(message: string): void {
  process.stderr.write(`${new Date().toISOString()} ${message}\n`)
}
