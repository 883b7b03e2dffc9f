import { supabase } from '@/data/client'
import { toDataError } from '@/data/errors'

/** More than anybody offers in a form; the list of categories has the rest. */
export const MOST_CATEGORIES = 100

export interface CategoryRow {
  id: string
  name: string
  description: string | null
  color: string
  company: { name: string } | null
  issues: { id: string; name: string; priority: string }[]
}

/** Categories in the order forms offer them, each with its issue types: one request. */
export async function readCategories(companyId: string | null): Promise<CategoryRow[]> {
  const all = supabase
    .from('ticket_categories')
    .select(
      'id,name,description,color,company:companies!ticket_categories_company_id_fkey(name),' +
        'issues:ticket_issues(id,name,priority)',
    )
  const scoped = companyId === null ? all : all.eq('company_id', companyId)
  const { data, error, status } = await scoped
    .order('position')
    .order('id')
    .limit(MOST_CATEGORIES)
    .overrideTypes<CategoryRow[], { merge: false }>()
  if (error) throw toDataError(error, status)
  return data
}
