import { createContext } from 'react'
import type { Verdict } from '@/access/policy'

export interface AccessValue {
  /** `error`: the policy could not be read and there is no earlier one; everything is refused. */
  status: 'loading' | 'ready' | 'error'
  /** Changes with the permissions. */
  version: number
  can: (resource: string, action: string) => Verdict
  retry: () => void
}

export const AccessContext = createContext<AccessValue | null>(null)
