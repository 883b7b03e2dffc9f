import type { ListQuestion } from '@/refine/keys'
import type { Query } from '@/refine/use-cache'

interface Asked {
  companyId?: unknown
  table?: unknown
}

/**
 * Keeps the rows of the question before while the next ones come, within one table and one company: rows of another
 * company are never shown, not even for a moment.
 */
export function sameRows({ meta }: ListQuestion) {
  return <Data>(previous: Data | undefined, query: Pick<Query, 'queryKey'> | undefined): Data | undefined => {
    const before = query?.queryKey.at(-1) as Asked | undefined
    return before && before.table === meta.table && before.companyId === meta.companyId ? previous : undefined
  }
}
