import type { SupabaseClient } from '@supabase/supabase-js'
import type { CompanyOption } from '@/session/use-company-scope'

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
