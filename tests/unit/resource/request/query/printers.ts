import { writeFilters } from '@/data/postgrest'
import type { RowPage } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { listColumns, listFields } from '@/resource/request/query/columns'
import { listRequest } from '@/resource/request/query/list-request'
import { parseListState } from '@/resource/request/query/list-state'
import { sentRequest } from '../../../../support/list-request'

export const companies: Definition = { name: 'companies', tenant: false, fields: { name: { type: 'text' } } }
const groups: Definition = { name: 'groups', title: '{name}', fields: { name: { type: 'text' } } }
export const printers: Definition = {
  name: 'printers',
  title: '{serial}',
  fields: {
    serial: { type: 'text', search: true, sort: 'serial_key' },
    status: { type: 'enum', values: { active: 'green', retired: 'gray' }, filter: true },
    pages: { type: 'number', filter: true, sort: true },
    seen: { type: 'datetime', from: { table: 'printer_presence', column: 'seen_at' }, sort: 'offline_since' },
    model: { type: 'text' },
    hidden: { type: 'text', filter: false },
    data: { type: 'json' },
    added: { type: 'datetime', filter: true },
    bought: { type: 'date', filter: true },
    color: { type: 'boolean', filter: true },
    note: { type: 'text', filter: true },
    days: { type: 'tags' },
    paint: { type: 'color' },
    made: { type: 'computed', as: 'datetime' },
    rest: { type: 'computed' },
    company_id: { type: 'relation', to: 'companies', readonly: true },
    groups: {
      type: 'many-to-many',
      to: 'groups',
      through: 'group_printers',
      near: 'printer_id',
      far: 'group_id',
      filter: true,
    },
  },
  list: {
    columns: ['serial', { field: 'status', with: ['model'] }, 'seen', 'groups'],
    sort: 'serial',
    views: { old: { filter: { pages: { _gt: 1000 } }, sort: '-pages' } },
  },
}

export const jobs: Definition = {
  name: 'jobs',
  fields: {
    note: { type: 'text' },
    printer_id: { type: 'relation', to: 'printers', filter: true },
    owner_id: { type: 'relation', to: 'companies' },
  },
  list: { columns: ['note', 'printer_id.status', { field: 'printer_id', with: ['printer_id.model'] }] },
}
export const find = (name: string) => ({ companies, groups, printers, jobs })[name] ?? null
export const parse = (query: string, definition = printers) =>
  parseListState(new URLSearchParams(query), definition, find)
export const request = (query: string, companyId: string | null = 'c1', definition = printers) => {
  const fields = listFields(definition, listColumns(definition, companyId, find))
  return sentRequest(
    listRequest(definition, fields, parse(query, definition), { companyId, scope: {}, find }),
  )
}
export const parametersOf = ({ where }: RowPage) => writeFilters(where ?? []).parameters
