import { useMemo } from 'react'
import { useIsLimited } from '@/access/use-can'
import type { RowSource } from '@/refine/data-provider'
import type { FilterScope } from '@/resource/request/filter/scope'
import { useCompanyScope } from '@/session/use-company-scope'
import { useSession } from '@/session/use-session'

export interface ResourceScope {
  /** The company in view; null is all of them. */
  companyId: string | null
  /** The scope that `$user` resolves in. */
  filter: FilterScope
  /** The function that returns the rows of a list, in place of its table. */
  source?: RowSource
  /** Related records that a list reads besides those of its fields, in PostgREST's syntax. */
  embeds?: string
}

export function useResourceScope(): ResourceScope {
  const { companyId } = useCompanyScope()
  const { user } = useSession()
  const isLimited = useIsLimited()
  return useMemo(
    () => ({
      companyId,
      filter: user
        ? {
            user: { id: user.id, companyId: user.companyId, email: user.email, role: user.role },
            isLimited,
          }
        : {},
    }),
    [companyId, user, isLimited],
  )
}
