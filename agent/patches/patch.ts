/** An update that this device lacks, as the console lists it. */
export interface Patch {
  title: string
  /** With the title it names the update: Microsoft's number, or the version of a package. */
  kb_number: string
  category: 'security' | 'critical' | 'feature' | 'driver' | 'definition' | 'application' | 'other'
  severity: 'critical' | 'important' | 'moderate' | 'low' | 'unspecified'
  size_mb: number | null
  /** YYYY-MM-DD */
  release_date: string | null
  reboot_required: boolean
  /** The version that it would replace; absent where the system does not say. */
  installed_version?: string | null
}

export interface PatchReport {
  missing: Patch[]
  /**
   * Updates known to be installed; null where the system keeps no such list, and an update that is missing no longer
   * counts as installed.
   */
  installed: Pick<Patch, 'title' | 'kb_number'>[] | null
}

/** The title and number by which an update is installed. */
export type PatchName = Pick<Patch, 'title' | 'kb_number'>

export interface PatchSource {
  /** Null when the system did not answer. */
  scan: () => Promise<PatchReport | null>
  /** Changes when a scan would find something else; null where only time tells. */
  state: () => string | null
  /** Asks the publishers for updates, then installs those named. Prints what it does; returns an exit code. */
  install: (wanted: readonly PatchName[]) => Promise<number>
  /** Asks the publishers for updates; returns an exit code. */
  refresh: () => Promise<number>
}

export const MAX_PATCHES = 1_000

export const samePatch = (a: PatchName, b: PatchName): boolean =>
  a.title === b.title && a.kb_number === b.kb_number

/** `1429092` bytes → 1.36 */
export const bytesToMb = (bytes: number): number | null =>
  Number.isFinite(bytes) && bytes > 0 ? Math.round((bytes / 1024 / 1024) * 100) / 100 : null
