import { join } from 'node:path'
import { isRecord, readJson, writeDurably } from '../files'

/** The file that this agent installed for a detection rule, and the version that the system reported for it then. */
interface InstalledPackage {
  sha256: string
  package_version: string
  found_version: string | null
}

const fileIn = (dataDir: string): string => join(dataDir, 'packages.json')
const MAX_REMEMBERED = 500

function readAll(dataDir: string): Record<string, unknown> {
  const value = readJson(fileIn(dataDir))
  return isRecord(value) ? value : {}
}

/** A path does not tell which version is there; what the agent installed itself does. */
export function rememberedPackage(dataDir: string, rule: string): InstalledPackage | null {
  const value = readAll(dataDir)[rule]
  if (!isRecord(value) || typeof value.sha256 !== 'string') return null
  return {
    sha256: value.sha256,
    package_version: String(value.package_version ?? ''),
    found_version: typeof value.found_version === 'string' ? value.found_version : null,
  }
}

export function rememberPackage(dataDir: string, rule: string, installed: InstalledPackage | null): void {
  const { [rule]: _old, ...others } = readAll(dataDir)
  const all = installed ? { ...others, [rule]: installed } : others
  writeDurably(
    fileIn(dataDir),
    JSON.stringify(Object.fromEntries(Object.entries(all).slice(-MAX_REMEMBERED))),
  )
}
