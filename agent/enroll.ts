import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Api, Refused } from './api'
import { isRecord, readJson, writeDurably } from './files'
import { type Identity, writeIdentity } from './identity'
import { hostName } from './inventory/shared'
import { log } from './log'
import { UsageError } from './options'
import { AGENT_VERSION } from './version'

/** The console holds the request back until somebody approves it. */
export class AwaitingApproval extends Error {
  constructor(readonly retrySeconds: number) {
    super(
      `${hostName()} waits for approval: the console knows this machine already, or its token asks for it. ` +
        'Approve it in the console under Agents, Approval queue.',
    )
  }
}

/**
 * The token from a file, standard input (`-`) or KONSOL_TOKEN; null without any. Never from the command line,
 * which every user of the machine can read. The variable is removed, so that no script inherits it.
 * @throws UsageError
 */
export function takeToken(tokenFile: string | null): string | null {
  const fromEnvironment = process.env.KONSOL_TOKEN
  delete process.env.KONSOL_TOKEN
  const text = tokenFile === null ? fromEnvironment : readToken(tokenFile)
  // Windows PowerShell may put a byte order mark in front of what it pipes.
  const token = text?.replace(/^\uFEFF/, '').trim()
  if (!token && tokenFile === null) return null
  if (!token || !/^[\w-]{16,256}$/.test(token))
    throw new UsageError(
      'The enrollment token is incomplete. Copy the install command from the Agents page again.',
    )
  return token
}

function readToken(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (error) {
    throw new UsageError(
      `The token cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

const fileIn = (dataDir: string): string => join(dataDir, 'enrollment.json')

/** The secret of a request that has no final answer yet; null without one for this console. */
export function openRequest(dataDir: string, url: string): string | null {
  const value = readJson(fileIn(dataDir))
  return isRecord(value) && value.url === url && typeof value.secret === 'string' ? value.secret : null
}

interface Enrollment {
  api: Api
  url: string
  key: string | null
  dataDir: string
  machineId: string
  platform: string
  token: string | null
}

/**
 * Asks the console to let this machine join. The secret is chosen here and kept before it is sent: a request whose
 * answer was lost, or that waits for approval, is repeated with it and needs no token.
 * @throws AwaitingApproval, UsageError when refused, Unreachable
 */
export async function enroll(enrollment: Enrollment): Promise<Identity> {
  const { api, url, key, dataDir, machineId, platform, token } = enrollment
  const known = openRequest(dataDir, url)
  if (known === null && token === null)
    throw new UsageError(
      `${dataDir} holds no enrolled device, so a token is required. Copy the install command from the Agents page of the console.`,
    )
  const secret = known ?? randomBytes(32).toString('hex')
  if (known === null) writeDurably(fileIn(dataDir), `${JSON.stringify({ url, secret })}\n`)
  let answer: Record<string, unknown>
  try {
    answer = await api.call('agent_enroll', {
      ...(token === null ? {} : { token }),
      secret,
      machine_id: machineId,
      hostname: hostName(),
      platform,
      agent_version: AGENT_VERSION,
    })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    rmSync(fileIn(dataDir), { force: true })
    // An earlier request of this machine was rejected; the token asks anew.
    if (error.status === 403 && known !== null && token !== null) return enroll(enrollment)
    throw new UsageError(explain(error, token !== null))
  }
  if (answer.status === 'pending')
    throw new AwaitingApproval(typeof answer.interval === 'number' ? answer.interval : 60)
  const { device_id: deviceId } = answer
  if (typeof deviceId !== 'string') throw new Error('The server enrolled the device but did not say as what.')
  const identity = { url, key, deviceId, secret, signingKey: null }
  writeIdentity(dataDir, identity)
  rmSync(fileIn(dataDir), { force: true })
  log(`Enrolled as device ${deviceId}.`)
  return identity
}

function explain(error: Refused, hasToken: boolean): string {
  const refusal = `The server refused to enroll this device: ${error.message}`
  if (error.status === 403) return `${refusal} Ask an administrator of the console.`
  if (error.status !== 401) return refusal
  return hasToken
    ? `${refusal} It may be mistyped, revoked, expired or used up; make a new one on the Agents page.`
    : `${refusal} The request has expired; make a new token on the Agents page.`
}
