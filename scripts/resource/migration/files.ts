import { kindOf } from '@/resource/fields/kinds'
import type { Definition } from '@/resource/language/definition.generated'
import type { CatalogTable } from '../../../supabase/embedded/catalog'
import { hasOwnColumn } from './columns'
import type { TablePlan } from './plan'
import { literal } from './sql'

/** The rules of a field with a file, as `app.keep_files()` takes them. */
export interface FileRules {
  max_mb?: number
  accept?: readonly string[]
}

/** The files of a resource's records; null for one without. */
export interface FilesPlan {
  fields: Readonly<Record<string, FileRules>>
  hasAttachments: boolean
}

export function filesOf(definition: Definition): FilesPlan | null {
  const fields = Object.entries(definition.fields).flatMap(([name, field]): [string, FileRules][] => {
    const kind = kindOf(field.type)
    if (!kind.isUpload || !hasOwnColumn(field)) return []
    const { max_mb, accept = kind.families } = field as FileRules & typeof field
    return [[name, { ...(max_mb ? { max_mb } : {}), ...(accept ? { accept: [...accept] } : {}) }]]
  })
  const hasAttachments = definition.attachments === true
  return fields.length > 0 || hasAttachments ? { fields: Object.fromEntries(fields), hasAttachments } : null
}

export function filesSql({ table, files }: Pick<TablePlan, 'table' | 'files'>): string[] {
  if (!files) return []
  const rules = JSON.stringify(files.fields)
  const further = files.hasAttachments ? '' : ', false'
  const given = rules === '{}' && further === '' ? '' : `, ${literal(rules)}${further}`
  return [`select app.keep_files('public.${table}'${given});`]
}

const written = ({ max_mb, accept }: FileRules) =>
  JSON.stringify([max_mb ?? null, [...(accept ?? [])].sort()])

/** The call that gives the table what its definition asks for; none where it has all. */
export function filesChanges(plan: TablePlan, table: CatalogTable): string[] {
  const { files } = plan
  if (!files) return []
  const has = table.files ?? {}
  const isKept = Object.entries(files.fields).every(([name, rules]) => {
    const kept = has[name]
    return kept !== undefined && written(kept) === written(rules)
  })
  return isKept && (!files.hasAttachments || '' in has) ? [] : filesSql(plan)
}

/** Deletes the files of a field, or with `''` the attachments, and what their table knows of them. */
export function dropFilesSql(table: string, field: string): string {
  return [
    `delete from public.files where resource = ${literal(table)} and field ${field === '' ? 'is null' : `= ${literal(field)}`};`,
    `delete from app.file_fields where resource = ${literal(table)} and field = ${literal(field)};`,
  ].join('\n')
}

/** The statements that keep the files of the other fields, once some fields have lost theirs (`''` for the attachments). */
export function filesLeft(table: CatalogTable, gone: readonly string[]): string[] {
  const known = Object.entries(table.files ?? {})
  if (!known.some(([name]) => gone.includes(name))) return []
  const left = known.filter(([name]) => !gone.includes(name))
  if (left.length === 0) return [`drop trigger ${table.name}_files_gone on public.${table.name};`]
  const fields = Object.fromEntries(left.filter(([name]) => name !== ''))
  return filesSql({
    table: table.name,
    files: { fields, hasAttachments: left.length > Object.keys(fields).length },
  })
}
