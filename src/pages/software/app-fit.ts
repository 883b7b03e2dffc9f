import type { Target } from '@/runs/targets/targets'

/** The columns of an app that say where it can be installed. */
export const APP = 'id,name,category,winget_id,choco_id,apt_id,brew_id'

export interface App {
  [column: string]: unknown
  id: string
  name: string
  winget_id: string | null
  choco_id: string | null
  apt_id: string | null
  brew_id: string | null
}

/** Whether the app store has a package for the system of a device; an unknown system is given a try. */
export function appFits(app: App, { platform }: Pick<Target, 'platform'>): boolean {
  if (platform === 'windows') return app.winget_id !== null || app.choco_id !== null
  if (platform === 'linux') return app.apt_id !== null
  return platform !== 'macos' || app.brew_id !== null
}

/** Whether a detection rule names a package, which the system can remove; as `app.is_package_rule()`. */
export const namesPackage = (rule: string | null): boolean =>
  rule !== null && rule.trim() !== '' && !/^(HK[A-Z_]+:?\\|[a-z]:\\|\\\\|\/|%\w+%|\$)/i.test(rule.trim())
