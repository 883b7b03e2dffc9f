import type { Definition } from '@/resource/language/definition.generated'
import { listOf } from '@/resource/language/naming'
import { findDefinition, resourceEntries, useDefinitionsVersion } from '@/resource/language/registry'
import { useResourceLabels } from '@/resource/language/words'

/** Whether the list has an entry in the menu or a tab; others are parts of another resource's pages. */
function hasOwnPage(definition: Definition): boolean {
  return listOf(definition) !== null && (definition.parent !== undefined || definition.section !== 'none')
}

const placeOf = (definition: Definition | null | undefined) =>
  definition?.position ?? Number.POSITIVE_INFINITY

/** The pages that a Pro license adds, by what the definitions require, in the order of the menu; each with its tabs. */
export function proPages(): { name: string; tabs: string[] }[] {
  const added = resourceEntries()
    .flatMap(({ definition }) =>
      definition?.requires === 'pro' && hasOwnPage(definition) ? [definition] : [],
    )
    .toSorted((a, b) => placeOf(a) - placeOf(b) || 0)
  const isTab = ({ parent }: Definition) => added.some(({ name }) => name === parent)
  const entryPlace = (definition: Definition) =>
    placeOf(definition.parent === undefined ? definition : findDefinition(definition.parent))
  return added
    .filter((definition) => !isTab(definition))
    .toSorted((a, b) => entryPlace(a) - entryPlace(b) || 0)
    .map(({ name }) => ({
      name,
      tabs: added.filter(({ parent }) => parent === name).map((tab) => tab.name),
    }))
}

/** The same, as the menu and the tabs name them: `Patch Management (Updates, Exceptions)`. */
export function useProPageNames(): string[] {
  useDefinitionsVersion()
  const labels = useResourceLabels()
  return proPages().map(({ name, tabs }) => {
    const label = labels(name).page
    return tabs.length === 0 ? label : `${label} (${tabs.map((tab) => labels(tab).page).join(', ')})`
  })
}
