import { accessSync, constants } from 'node:fs'
import { aptPatches } from './apt-patches'
import type { PatchReport, PatchSource } from './patch'
import { softwareUpdate } from './software-update'
import { windowsUpdate } from './windows-update'

/** Where only time tells whether there are new updates. */
const FRESH_MS = 24 * 3_600_000

/** The updates of this system; null where the agent knows no way to find them. */
export function patchSource(): PatchSource | null {
  if (process.platform === 'win32') return windowsUpdate
  if (process.platform === 'darwin') return softwareUpdate
  try {
    accessSync('/usr/bin/apt-get', constants.X_OK)
    return aptPatches
  } catch {
    return null
  }
}

/** A fleet that starts at once does not scan at once, and an agent that is started for one script never does. */
const FIRST_SCAN_MS = 45_000
const RETRY_MS = 3_600_000

/** Scans when something may have changed, in the background: a scan on Windows takes minutes. */
export class PatchWatch {
  private known: PatchReport | null = null
  private state: string | null = null
  private dueAt = Date.now() + FIRST_SCAN_MS
  private scanning = false

  constructor(private readonly source: PatchSource | null) {}

  /** The report of the last scan; null before the first. */
  get report(): PatchReport | null {
    this.scanWhenDue()
    return this.known
  }

  /** Updates were installed, or looked for. */
  touch(): void {
    this.dueAt = 0
  }

  private scanWhenDue(): void {
    const { source } = this
    if (!source || this.scanning) return
    const state = source.state()
    const hasChanged = this.known !== null && state !== this.state
    if (Date.now() < this.dueAt && !hasChanged) return
    this.scanning = true
    this.state = state
    this.dueAt = Date.now() + (state === null ? FRESH_MS : Number.POSITIVE_INFINITY)
    void source
      .scan()
      .catch(() => null)
      .then((report) => {
        this.scanning = false
        if (!report) this.dueAt = Math.min(this.dueAt, Date.now() + RETRY_MS)
        else if (JSON.stringify(report) !== JSON.stringify(this.known)) this.known = report
      })
  }
}
