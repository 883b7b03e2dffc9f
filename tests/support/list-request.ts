import { rowPage } from '@/refine/data-provider'
import type { ListRequest } from '@/resource/request/query/list-request'

/** A list's request as the data provider sends it. */
export function sentRequest({ page, count }: ListRequest) {
  return { page: rowPage(page), count: rowPage(count) }
}
