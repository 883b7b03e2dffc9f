import { readdirSync, readFileSync } from 'node:fs'
import type { Definition } from '@/resource/definition/definition.generated'
import {
  canCreate,
  canEdit,
  createPath,
  editPath,
  hasShow,
  listPath,
  showPath,
  tableOf,
} from '@/resource/definition/naming'
import type { Api } from './api'

/** Every resource that `resources/` declares. */
export const DEFINITIONS: readonly Definition[] = readdirSync('resources')
  .filter((file) => file.endsWith('.json') && file !== 'resource.schema.json')
  .sort()
  .map((file) => JSON.parse(readFileSync(`resources/${file}`, 'utf8')) as Definition)

/** The addresses of its list, its forms and one record, and which record that is. */
export async function pathsOf(
  definition: Definition,
  api: Api,
): Promise<{ paths: string[]; faults: string[] }> {
  const needsRecord = hasShow(definition) || canEdit(definition)
  const [row] = needsRecord ? await api.read(`${tableOf(definition)}?select=id&order=id&limit=1`) : []
  const id = typeof row?.id === 'string' ? row.id : null
  const paths = [
    ...(definition.list === false ? [] : [listPath(definition)]),
    ...(canCreate(definition) ? [createPath(definition)] : []),
    ...(id && hasShow(definition) ? [showPath(definition, id)] : []),
    ...(id && canEdit(definition) ? [editPath(definition, id)] : []),
  ]
  return {
    paths,
    faults: needsRecord && !id ? [`${definition.name}: the demo data holds no record to look at`] : [],
  }
}
