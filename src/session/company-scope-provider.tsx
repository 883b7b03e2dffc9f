import type { SupabaseClient } from '@supabase/supabase-js'
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { supabase } from '@/data/client'
import { type CompanyOption, type CompanyScope, CompanyScopeContext } from '@/session/use-company-scope'
import { useSession } from '@/session/use-session'

/** The maximum number of rows in one response of the API. */
const PIECE = 1000

/** Every company there is, by name; null when they cannot be read. */
export async function readCompanies(client: SupabaseClient): Promise<CompanyOption[] | null> {
  const companies: CompanyOption[] = []
  for (;;) {
    const { data } = await client
      .from('companies')
      .select('id, name')
      .order('name')
      .order('id')
      .range(companies.length, companies.length + PIECE - 1)
    if (!data) return null
    companies.push(...data)
    if (data.length < PIECE) return companies
  }
}

const STORAGE_KEY = 'konsol.company'

/** Per tab and per person: another tab may look at another company, another person never inherits it. */
function readStored(userId: string): string | null {
  try {
    const [owner, companyId] = (window.sessionStorage.getItem(STORAGE_KEY) ?? '').split(' ')
    return owner === userId && companyId ? companyId : null
  } catch {
    return null
  }
}

function store(userId: string, companyId: string | null): void {
  try {
    if (companyId === null) window.sessionStorage.removeItem(STORAGE_KEY)
    else window.sessionStorage.setItem(STORAGE_KEY, `${userId} ${companyId}`)
  } catch {
    // Storage is forbidden here; the choice lasts as long as the page.
  }
}

export function CompanyScopeProvider({ children }: { children: ReactNode }) {
  const { user } = useSession()
  const seesAll = user?.companyId === null
  const userId = user?.id ?? ''
  const [chosen, setChosen] = useState<string | null>(() => readStored(userId))
  const [companies, setCompanies] = useState<readonly CompanyOption[] | null>(null)
  const [round, setRound] = useState(0)
  const refresh = useCallback(() => setRound((before) => before + 1), [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round reads again
  useEffect(() => {
    if (!seesAll) return
    let isCurrent = true
    void readCompanies(supabase).then((found) => {
      if (!isCurrent || !found) return
      setCompanies(found)
      // A company that was removed since would leave every list empty without saying why.
      setChosen((before) => (found.some((company) => company.id === before) ? before : null))
    })
    return () => {
      isCurrent = false
    }
  }, [seesAll, round])

  const setCompanyId = useCallback(
    (companyId: string | null) => {
      store(userId, companyId)
      setChosen(companyId)
    },
    [userId],
  )

  const ownCompany = user?.companyId ?? null
  const value = useMemo<CompanyScope>(
    () =>
      seesAll
        ? {
            companyId: chosen,
            setCompanyId,
            companies: companies ?? [],
            hasNoCompany: companies?.length === 0,
            refresh,
          }
        : { companyId: ownCompany, setCompanyId: () => undefined, companies: [] },
    [seesAll, chosen, setCompanyId, companies, ownCompany, refresh],
  )
  return <CompanyScopeContext.Provider value={value}>{children}</CompanyScopeContext.Provider>
}
