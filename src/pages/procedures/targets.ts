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
/** The database takes no more at once. */
export const MAX_TARGETS = 1000

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

const EXCLUSION_REASONS = ['company', 'windowsOnly', 'notOnWindows', 'noPackage'] as const

type ExclusionReason = (typeof EXCLUSION_REASONS)[number]

/** Why a device cannot run a script; null if no reason is known. */
function exclusionReason(
  { company_id, platform }: Target,
  script: { type: string; company_id: string },
): ExclusionReason | null {
  if (company_id !== script.company_id) return 'company'
  if (script.type === 'Batch' && platform != null && platform !== 'windows') return 'windowsOnly'
  return script.type === 'Bash' && platform === 'windows' ? 'notOnWindows' : null
}

export type Selection = { runnable: Target[]; excluded: { reason: ExclusionReason; targets: Target[] }[] }

/** The devices a script runs on, and those left out, by reason; `fits` is for what is no script. */
export function splitTargets(
  targets: readonly Target[],
  script: { type: string; company_id: string } | null,
  fits: (target: Target) => boolean = () => true,
): Selection {
  const reasonOf = (target: Target): ExclusionReason | null =>
    (script && exclusionReason(target, script)) ?? (fits(target) ? null : 'noPackage')
  return {
    runnable: targets.filter((target) => reasonOf(target) === null),
    excluded: EXCLUSION_REASONS.map((reason) => ({
      reason,
      targets: targets.filter((target) => reasonOf(target) === reason),
    })).filter(({ targets: left }) => left.length > 0),
  }
}
