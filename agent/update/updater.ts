import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeDurably } from '../files'
import { log } from '../log'
import { SOURCE_VERSION } from '../version'
import { downloadProgram, fetchRelease, UnfitRelease, type UpdateFailure } from './release'
import { readUpdateState, refuseVersion, writeUpdateState } from './update-state'

const FIRST_RETRY_MS = 30_000
const LONGEST_RETRY_MS = 3_600_000
/** A machine that lost its power while it tried a version may try it again. */
const MAX_ATTEMPTS = 3

/** A verified program on the disk, which has not run here yet. */
export interface Candidate {
  version: string
  publishedAt: string
  file: string
}

/** The progress of an update of the agent itself, reported at a check-in. */
export interface UpdateNews {
  state: 'updating' | 'failed'
  version: string
  reason?: UpdateFailure
}

interface Parts {
  url: string
  /** The version that runs now. */
  version: string
  dataDir: string
  /** The file that is started when the machine starts; versions on trial lie next to it. */
  program: string
  signingKey: string | null
  /** A candidate is there. */
  onReady: () => void
}

export const candidateFile = (program: string, version: string): string =>
  join(dirname(program), `agent-${version.replace(/[^\w.-]/g, '-')}.mjs`)

/** Fetches the version that the server tells this device to run. Whoever runs the agent then tries it. */
export class Updater {
  candidate: Candidate | null = null
  private isFetching = false
  private retryAt = 0
  private failures = 0

  constructor(private readonly parts: Parts) {}

  get news(): UpdateNews | null {
    const { trying, failed } = readUpdateState(this.parts.dataDir)
    if (trying && trying.version !== this.parts.version) return { state: 'updating', version: trying.version }
    if (failed && failed.version !== this.parts.version)
      return { state: 'failed', version: failed.version, reason: failed.reason }
    return null
  }

  /** The version of a check-in's answer; fetched once, after a failure later again. */
  want(version: string): void {
    // An agent that runs from its sources has no bundle to replace.
    if (this.parts.version === SOURCE_VERSION) return
    if (version === this.parts.version || this.candidate || this.isFetching || Date.now() < this.retryAt)
      return
    const state = readUpdateState(this.parts.dataDir)
    if (state.refused[version]) return
    this.isFetching = true
    this.fetch(version)
      .catch((error: unknown) => this.explain(version, error))
      .finally(() => {
        this.isFetching = false
      })
  }

  private async fetch(version: string): Promise<void> {
    const { url, dataDir, program, signingKey, onReady } = this.parts
    const release = await fetchRelease(url)
    // The server has been updated since it answered the check-in; the next one names the new version.
    if (release.version !== version) return
    const before = readUpdateState(dataDir)
    const attempts = before.trying?.version === version ? before.trying.attempts : 0
    if (attempts >= MAX_ATTEMPTS)
      throw new UnfitRelease(
        'interrupted',
        `Version ${version} was interrupted ${attempts} times while it was tried.`,
      )
    writeUpdateState(dataDir, { ...before, trying: { version, attempts } })
    const bytes = await downloadProgram(url, release, { signingKey, newest: before.newest })
    const file = candidateFile(program, version)
    try {
      writeDurably(file, bytes)
    } catch (error) {
      rmSync(file, { force: true })
      throw new UnfitRelease('not_writable', `${file} cannot be written: ${String(error)}`)
    }
    this.candidate = { version, publishedAt: release.publishedAt, file }
    log(`Version ${version} was downloaded and its signature is right.`)
    onReady()
  }

  private explain(version: string, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error)
    if (error instanceof UnfitRelease) {
      log(`${message} This agent stays at ${this.parts.version}.`)
      refuseVersion(this.parts.dataDir, version, error.reason)
      return
    }
    this.retryAt = Date.now() + Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.failures)
    this.failures++
    log(`Version ${version} could not be fetched (${message}). The agent tries again later.`)
  }
}
