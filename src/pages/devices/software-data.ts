import { supabase } from '@/data/client'
import { toDataError } from '@/data/errors'
import { containsOperation } from '@/data/postgrest'
import type { Page } from '@/pages/jobs/job-data'
import { MOST_TEXT } from '@/resource/filter/from-url'

export type InstalledSoftware = {
  id: string
  name: string
  publisher: string
  installs: { version: string; install_date: string | null; size_mb: number | null }[]
}

export type SoftwareQuery = {
  companyId: string
  deviceId: string
  text: string
  page: number
  pageSize: number
}

/** Titles come first and installs inside them: the database sorts and searches by the title's own columns only. */
export async function readSoftware(query: SoftwareQuery): Promise<Page<InstalledSoftware>> {
  const from = (query.page - 1) * query.pageSize
  let request = supabase
    .from('software')
    .select('id,name,publisher,installs:device_software!inner(version,install_date,size_mb)', {
      count: 'exact',
    })
    .eq('company_id', query.companyId)
    .eq('installs.company_id', query.companyId)
    .eq('installs.device_id', query.deviceId)
  const text = query.text.trim().slice(0, MOST_TEXT)
  if (text) {
    const { operator, value } = containsOperation(text)
    request = request.filter('name', operator, value)
  }
  const { data, error, status, count } = await request
    .order('name')
    .order('id')
    .range(from, from + query.pageSize - 1)
    .overrideTypes<InstalledSoftware[], { merge: false }>()
  if (error) throw toDataError(error, status)
  return { rows: data, total: count ?? data.length }
}
