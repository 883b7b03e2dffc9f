import type { Selection } from '@/runs/targets/targets'

/** As `preview_retry()` lists ids. */
export const MAX_FORM_DEVICES = 1000

export const RETRY_GROUPS = ['failed', 'canceled'] as const

interface RetryDevices {
  devices: number
  offline: number
  /** Names of the first devices. */
  names: string[]
  /** Ids of the first `MAX_FORM_DEVICES`, where the script takes a secret. */
  ids: string[]
}

/** As `preview_retry()` answers. */
export interface RetryPreview {
  takes_secret: boolean
  left_out: number
  failed: RetryDevices
  canceled: RetryDevices
}

/** The devices of the chosen groups: as a run dialog sums them up, and the ids that a form takes. */
export function selectRetry(
  preview: RetryPreview,
  groups: readonly (typeof RETRY_GROUPS)[number][],
): { selection: Selection; ids: string[] } {
  const chosen = RETRY_GROUPS.filter((group) => groups.includes(group)).map((group) => preview[group])
  return {
    selection: {
      count: chosen.reduce((sum, { devices }) => sum + devices, 0),
      offline: chosen.reduce((sum, { offline }) => sum + offline, 0),
      names: chosen.flatMap(({ names }) => names),
      excluded: [],
    },
    ids: chosen.flatMap(({ ids }) => ids).slice(0, MAX_FORM_DEVICES),
  }
}
