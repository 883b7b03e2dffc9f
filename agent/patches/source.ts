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

/** Scans when something may have changed, in the background: a scan on Windows takes minutes. */
export class PatchWatch {
  private known: PatchReport | null = null
  private state: string | null = null
  private scannedAt = 0
  private scanning = false

  constructor(private readonly source: PatchSource | null) {}

  /** What the last scan found; null before the first. */
  get report(): PatchReport | null {
    this.scanWhenDue()
    return this.known
  }

  /** Updates were installed, or looked for. */
  touch(): void {
    this.scannedAt = 0
  }

  private scanWhenDue(): void {
    if (!this.source || this.scanning) return
    const state = this.source.state()
    const isDue =
      this.scannedAt === 0 || (state === null ? Date.now() - this.scannedAt > FRESH_MS : state !== this.state)
    if (!isDue) return
    this.scanning = true
    this.state = state
    this.scannedAt = Date.now()
    void this.source
      .scan()
      .catch(() => null)
      .then((report) => {
        this.scanning = false
        if (!report || JSON.stringify(report) === JSON.stringify(this.known)) return
        this.known = report
      })
  }
}
