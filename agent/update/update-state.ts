import { join } from 'node:path'
import { isRecord, readJson, writeDurably } from '../files'
import type { UpdateFailure } from './release'

/** The update history of this installation; `update.json` in the data directory. */
export interface UpdateState {
  /** Being fetched or tried. */
  trying: { version: string; attempts: number } | null
  /** The last that failed, until another one runs. */
  failed: { version: string; reason: UpdateFailure } | null
  /** Versions that are never tried again. */
  refused: Record<string, UpdateFailure>
  /** The last that this installation updated itself to. */
  current: string | null
  /** When the newest version that ran here was published. */
  newest: string | null
}

const MAX_REFUSED = 50

const fileIn = (dataDir: string): string => join(dataDir, 'update.json')

const isText = (value: unknown): value is string => typeof value === 'string'

export function readUpdateState(dataDir: string): UpdateState {
  const value = readJson(fileIn(dataDir))
  const { trying, failed, refused, current, newest } = isRecord(value) ? value : {}
  return {
    trying:
      isRecord(trying) && isText(trying.version)
        ? { version: trying.version, attempts: Number(trying.attempts) || 0 }
        : null,
    failed:
      isRecord(failed) && isText(failed.version)
        ? { version: failed.version, reason: failed.reason as UpdateFailure }
        : null,
    refused: isRecord(refused) ? (refused as Record<string, UpdateFailure>) : {},
    current: isText(current) ? current : null,
    newest: isText(newest) ? newest : null,
  }
}

export function writeUpdateState(dataDir: string, state: UpdateState): void {
  writeDurably(fileIn(dataDir), `${JSON.stringify(state, null, 2)}\n`)
}

/** From now on this version is not tried here. */
export function refuseVersion(dataDir: string, version: string, reason: UpdateFailure): void {
  const state = readUpdateState(dataDir)
  const refused = Object.entries({ ...state.refused, [version]: reason }).slice(-MAX_REFUSED)
  writeUpdateState(dataDir, {
    ...state,
    trying: null,
    failed: { version, reason },
    refused: Object.fromEntries(refused),
  })
}
