export type Target = {
  id: string
  name: string
  company_id: string
  status?: string | null
  platform?: string | null
  os?: string | null
}

/** Above this many devices the number is typed before anything starts. */
export const CONFIRM_ABOVE = 25
/** The database takes no more at once. */
export const MOST_TARGETS = 1000

export const needsTyping = (count: number): boolean => count > CONFIRM_ABOVE

/** Whether what was typed is the number of devices, however it was grouped or padded. */
export const isTyped = (typed: string, count: number): boolean =>
  typed.replace(/[\s.,'’]/g, '') === String(count)

/** The one company of all of them, null when there are none or several. */
export function oneCompany(targets: readonly { company_id: string }[]): string | null {
  const companies = new Set(targets.map((target) => target.company_id))
  const [only] = companies
  return companies.size === 1 && only !== undefined ? only : null
}

/** Names to show for a count: the first ones, and how many are left out. */
export function namesShown(
  targets: readonly { name: string }[],
  most = 12,
): { names: string[]; left: number } {
  const names = targets.slice(0, most).map((target) => target.name)
  return { names, left: targets.length - names.length }
}

/** Windows runs no Bash, and only Windows runs Batch: said before the run instead of after it failed. */
export function unsuited(targets: readonly Target[], scriptType: string | undefined): Target[] {
  if (scriptType === 'Batch')
    return targets.filter(({ platform }) => platform != null && platform !== 'windows')
  if (scriptType === 'Bash') return targets.filter(({ platform }) => platform === 'windows')
  return []
}
