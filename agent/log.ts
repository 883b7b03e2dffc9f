/** One line an event, with the time; never a secret, a token, a script or its output. */
export function log(message: string): void {
  process.stderr.write(`${new Date().toISOString()} ${message}\n`)
}
