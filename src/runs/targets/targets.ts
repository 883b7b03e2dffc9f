export type Target = {
  id: string
  name: string
  company_id: string
  status?: string | null
  platform?: string | null
  os?: string | null
}

/** Above this many devices the user must type their number. */
export const CONFIRM_ABOVE = 25
/** As `app.max_targets()` of the database. */
export const MAX_TARGETS = 20_000
/** At most this many devices run a job at once where it has a cap. */
export const MAX_AT_ONCE = 1000

export const needsTyping = (count: number): boolean => count > CONFIRM_ABOVE

/** Whether what was typed is the number of devices, however it was grouped or padded. */
export const isTyped = (typed: string, count: number): boolean =>
  typed.replace(/[\s.,'’]/g, '') === String(count)

/** The company of all targets; null if there are no targets or several companies. */
export function oneCompany(targets: readonly { company_id: string }[]): string | null {
  const companies = new Set(targets.map((target) => target.company_id))
  const [only] = companies
  return companies.size === 1 && only !== undefined ? only : null
}

/** Names to show for a count: the first ones, and how many are left out. */
export function namesShown(
  targets: readonly { name: string }[],
  max = 12,
): { names: string[]; left: number } {
  const names = targets.slice(0, max).map((target) => target.name)
  return { names, left: targets.length - names.length }
}

/** In the order in which they are named. */
const PLATFORMS = ['windows', 'macos', 'linux'] as const
type Platform = (typeof PLATFORMS)[number]

/** The systems of a script of this type that names none, as `app.script_platforms()`. */
const platformsOf = (type: string): readonly Platform[] => {
  if (type === 'Batch' || type === 'PowerShell') return ['windows']
  return type === 'Bash' ? ['macos', 'linux'] : PLATFORMS
}

export interface AskedScript {
  type: string
  /** Null or empty: those of its type. */
  platforms?: readonly string[] | null
}

/** The systems on which a script runs, if it does not run on all of them. */
export function platformLimit({ type, platforms }: AskedScript): readonly Platform[] | null {
  const all =
    platforms && platforms.length > 0
      ? PLATFORMS.filter((each) => platforms.includes(each))
      : platformsOf(type)
  return all.length < PLATFORMS.length ? all : null
}

const SYSTEMS: Record<Platform, string> = { windows: 'Windows', macos: 'macOS', linux: 'Linux' }

/** The names of these systems as one phrase, such as "macOS and Linux". */
export const systemsIn = (platforms: readonly Platform[], language: string): string =>
  new Intl.ListFormat(language, { type: 'conjunction' }).format(platforms.map((each) => SYSTEMS[each]))

const EXCLUSION_REASONS = ['company', 'platform', 'noPackage'] as const

type ExclusionReason = (typeof EXCLUSION_REASONS)[number]

/** Why a device cannot run a script; null if no reason is known. */
function exclusionReason(
  { company_id, platform }: Target,
  script: AskedScript & { company_id: string },
): ExclusionReason | null {
  if (company_id !== script.company_id) return 'company'
  const limit = platformLimit(script)
  return limit === null || platform == null || limit.some((each) => each === platform) ? null : 'platform'
}

/** How many devices a script runs on, and those left out, by reason. */
export interface Selection {
  count: number
  offline: number
  /** Names of the devices to run on; where the server counts them, the first few. */
  names: string[]
  excluded: { reason: ExclusionReason; count: number; names: string[] }[]
}

/** Devices of one platform, as `preview_target()` counts them. */
export interface PlatformCount {
  platform: string | null
  devices: number
  offline: number
  names: string[]
}

type Script = (AskedScript & { company_id: string }) | null
type Fits = (target: Pick<Target, 'platform'>) => boolean

const reasonOf = (target: Target, script: Script, fits: Fits): ExclusionReason | null =>
  (script && exclusionReason(target, script)) ?? (fits(target) ? null : 'noPackage')

/** The chosen devices by whether a script runs there; `fits` is for what is no script. */
export function splitTargets(
  targets: readonly Target[],
  script: Script,
  fits: Fits = () => true,
): Selection & { runnable: Target[] } {
  const runnable = targets.filter((target) => reasonOf(target, script, fits) === null)
  return {
    runnable,
    count: runnable.length,
    offline: runnable.filter(({ status }) => status === 'offline').length,
    names: runnable.map(({ name }) => name),
    excluded: EXCLUSION_REASONS.map((reason) => {
      const left = targets.filter((target) => reasonOf(target, script, fits) === reason)
      return { reason, count: left.length, names: left.map(({ name }) => name) }
    }).filter(({ count }) => count > 0),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** The same of devices that the server counted; `platforms` are those it runs on, null for all. */
export function splitPlatforms(
  counted: readonly PlatformCount[],
  script: Script,
  fits: Fits = () => true,
): Selection & { platforms: string[] | null } {
  const reasons = counted.map(({ platform }) =>
    reasonOf({ id: '', name: '', company_id: script?.company_id ?? '', platform }, script, fits),
  )
  const of = (reason: ExclusionReason | null) => counted.filter((_count, index) => reasons[index] === reason)
  const runnable = of(null)
  const excluded = EXCLUSION_REASONS.map((reason) => ({
    reason,
    count: sum(of(reason).map(({ devices }) => devices)),
    names: of(reason).flatMap(({ names }) => names),
  })).filter(({ count }) => count > 0)
  return {
    count: sum(runnable.map(({ devices }) => devices)),
    offline: sum(runnable.map(({ offline }) => offline)),
    names: runnable.flatMap(({ names }) => names),
    excluded,
    platforms: excluded.length > 0 ? runnable.flatMap(({ platform }) => platform ?? []) : null,
  }
}
