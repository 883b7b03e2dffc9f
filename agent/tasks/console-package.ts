import { setTimeout as sleep } from 'node:timers/promises'
import { publishedKey } from '../api'
import { readIdentity } from '../identity'
import { RUN_MARK } from '../run/process-tree'
import { say } from './command'

const MAX_ATTEMPTS = 60
const PAUSE_MS = 60_000
/** For the answer to begin. */
const PATIENCE_MS = 60_000

const REFUSALS: Record<number, string> = {
  401: 'The console refused the download: this run is not open any more.',
  410: 'The console does not have the file any more. Upload it again.',
}

/**
 * Opens the uploaded package of this run. The credentials travel in the body, and no redirect carries them elsewhere.
 * Waits for its turn where many devices download at once.
 */
export async function consolePackage(dataDir: string): Promise<(signal: AbortSignal) => Promise<Response>> {
  const identity = readIdentity(dataDir)
  const runId = process.env[RUN_MARK]
  if (!identity || !runId) throw new Error('The agent does not find its own credentials.')
  const { url, deviceId, secret } = identity
  const key = identity.key ?? (await publishedKey(url))
  const body = JSON.stringify({ payload: { device_id: deviceId, secret, run_id: runId } })
  const ask = (signal: AbortSignal) =>
    fetch(`${url}/agent/package`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key ? { apikey: key } : {}) },
      body,
      redirect: 'error',
      signal,
    })
  for (let attempt = 1; ; attempt++) {
    const controller = new AbortController()
    const patience = setTimeout(() => controller.abort(), PATIENCE_MS)
    const response = await ask(controller.signal).finally(() => clearTimeout(patience))
    if (response.ok)
      return async (signal) => {
        signal.addEventListener('abort', () => controller.abort())
        return response
      }
    await response.body?.cancel()
    const refusal = REFUSALS[response.status]
    if (refusal) throw new Error(refusal)
    if (![429, 503].includes(response.status) || attempt === MAX_ATTEMPTS)
      throw new Error(`The console responded ${response.status}.`)
    if (attempt === 1) say('Many devices download at the moment; waiting for a turn.')
    await sleep(PAUSE_MS * (0.5 + Math.random()))
  }
}
