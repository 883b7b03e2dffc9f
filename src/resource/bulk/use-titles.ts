import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'
import { recordTitle } from '@/resource/queries/title'
import { useChosen } from '@/resource/queries/use-chosen'

/** Titles of records by id: of loaded records, and of others if they can be read. */
export function useTitles(
  definition: Definition,
  ids: readonly string[],
  known: readonly Row[] = [],
): (id: string) => string {
  const names = new Map(known.map((row) => [String(row.id), recordTitle(definition, row)]))
  const wanted = ids.filter((id) => !names.has(id))
  const { data } = useChosen(definition, wanted)
  for (const row of data ?? []) names.set(String(row.id), recordTitle(definition, row))
  return (id) => names.get(id) ?? id.slice(0, 8)
}
