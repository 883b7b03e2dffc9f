import { readdirSync, readFileSync } from 'node:fs'
import type { Definition } from '@/resource/language/definition.generated'
import {
  canCreate,
  canEdit,
  createPath,
  editPath,
  hasShow,
  listPath,
  showPath,
  tableOf,
} from '@/resource/language/naming'
import { OWN_NAMES } from '../../support/own-resources'
import type { Api } from './api'

/** Every resource that `resources/` declares. */
export const DEFINITIONS: readonly Definition[] = readdirSync('resources')
  .filter((file) => file.endsWith('.json') && file !== 'resource.schema.json')
  .sort()
  .map((file) => JSON.parse(readFileSync(`resources/${file}`, 'utf8')) as Definition)

type Screen = 'list' | 'create' | 'show' | 'edit'

export interface ResourcePage {
  definition: Definition
  screen: Screen
}

/** Every page that `resources/` declares. */
const PAGES: readonly ResourcePage[] = DEFINITIONS.flatMap((definition) => {
  const screens: Screen[] = [
    ...(definition.list === false ? [] : (['list'] as const)),
    ...(canCreate(definition) ? (['create'] as const) : []),
    ...(hasShow(definition) ? (['show'] as const) : []),
    ...(canEdit(definition) ? (['edit'] as const) : []),
  ]
  return screens.map((screen) => ({ definition, screen }))
})

/** A page of each screen type: the resource with the most field kinds for which the demo data holds a record. */
function representativePages(): ResourcePage[] {
  const kinds = ({ definition }: ResourcePage) =>
    new Set(Object.values(definition.fields).map(({ type }) => type)).size
  const chosen = new Map<Screen, ResourcePage>()
  for (const page of PAGES.filter(({ definition }) => OWN_NAMES.has(definition.name))) {
    const best = chosen.get(page.screen)
    if (!best || kinds(page) > kinds(best)) chosen.set(page.screen, page)
  }
  return [...chosen.values()]
}

/** The pages that axe looks at: one a screen type, or all of them with THOROUGH=1. */
export const JUDGED_PAGES: readonly ResourcePage[] =
  process.env.THOROUGH === '1' ? PAGES : representativePages()

/** The page's address; null where the demo data holds no record to open. */
export async function pathOf({ definition, screen }: ResourcePage, api: Api): Promise<string | null> {
  if (screen === 'list') return listPath(definition)
  if (screen === 'create') return createPath(definition)
  const id = await firstRecord(definition, api)
  if (id === null) return null
  return screen === 'show' ? showPath(definition, id) : editPath(definition, id)
}

async function firstRecord(definition: Definition, api: Api): Promise<string | null> {
  const [row] = await api.read(`${tableOf(definition)}?select=id&order=id&limit=1`)
  return typeof row?.id === 'string' ? row.id : null
}

/** The product's resources with a page for one record, none of which the demo data holds. */
export async function withoutRecord(api: Api): Promise<string[]> {
  const needed = DEFINITIONS.filter(
    (definition) => OWN_NAMES.has(definition.name) && (hasShow(definition) || canEdit(definition)),
  )
  const found = await Promise.all(needed.map((definition) => firstRecord(definition, api)))
  return needed.flatMap(({ name }, place) => (found[place] === null ? [name] : []))
}
