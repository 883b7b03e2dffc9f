import { createHash, createPublicKey, verify } from 'node:crypto'
import { isRecord } from '../files'

/** The server's description of the bundle that it serves; `supabase/embedded/agent-release.ts` writes and signs it. */
export interface Release {
  version: string
  sha256: string
  size: number
  publishedAt: string
  signature: string
  publicKey: string
}

/** Why a version is not run here; the console has words for each (`devices.agent_update_reason`). */
export type UpdateFailure = 'no_check_in' | 'ended' | 'interrupted' | 'signature' | 'older' | 'not_writable'

/** The version will never be run here, however often it is tried. */
export class UnfitRelease extends Error {
  constructor(
    readonly reason: UpdateFailure,
    message: string,
  ) {
    super(message)
  }
}

const PATIENCE_MS = 120_000
const MAX_BYTES = 20_000_000
/** Versions become file names. */
const VERSION = /^[\w.+-]{1,40}$/

async function fetchBytes(address: string): Promise<Buffer> {
  const response = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(PATIENCE_MS) })
  if (!response.ok || !response.body) throw new Error(`${address} answered ${response.status}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > MAX_BYTES) throw new Error(`${address} is too large`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** @throws when the server does not answer, or with something else */
export async function fetchRelease(url: string): Promise<Release> {
  const value: unknown = JSON.parse((await fetchBytes(`${url}/agent/release.json`)).toString())
  if (isRecord(value)) {
    const { version, sha256, size, published_at: publishedAt, signature, public_key: publicKey } = value
    if (
      typeof version === 'string' &&
      VERSION.test(version) &&
      typeof sha256 === 'string' &&
      typeof size === 'number' &&
      typeof publishedAt === 'string' &&
      Number.isFinite(Date.parse(publishedAt)) &&
      typeof signature === 'string' &&
      typeof publicKey === 'string'
    )
      return { version, sha256, size, publishedAt, signature, publicKey }
  }
  throw new Error('The server serves no agent')
}

const signedText = ({ version, sha256, size, publishedAt }: Release): string =>
  `konsol-agent-release\n${version}\n${sha256}\n${size}\n${publishedAt}\n`

export function isSigned(release: Release, signingKey: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(signingKey, 'base64'), format: 'der', type: 'spki' })
    if (key.asymmetricKeyType !== 'ed25519') return false
    return verify(null, Buffer.from(signedText(release)), key, Buffer.from(release.signature, 'base64'))
  } catch {
    return false
  }
}

/**
 * The program of a release, once it is known to be what the owner of the pinned key has signed.
 * @throws UnfitRelease, or an Error that is worth a retry
 */
export async function downloadProgram(
  url: string,
  release: Release,
  { signingKey, newest }: { signingKey: string | null; newest: string | null },
): Promise<Buffer> {
  if (signingKey === null || !isSigned(release, signingKey))
    throw new UnfitRelease(
      'signature',
      `Version ${release.version} is not signed with the key of this device.`,
    )
  // An old bundle keeps its signature, and its faults.
  if (newest !== null && Date.parse(release.publishedAt) < Date.parse(newest))
    throw new UnfitRelease('older', `Version ${release.version} was published before one that ran here.`)
  const program = await fetchBytes(`${url}/agent/agent.mjs`)
  const sha256 = createHash('sha256').update(program).digest('hex')
  // Changed on the way, or a newer one since: neither says anything of this version.
  if (program.length !== release.size || sha256 !== release.sha256)
    throw new Error('the download does not match its signed checksum')
  return program
}
