import { supabase } from '@/data/client'
import { changeLinks } from '@/data/links'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/definition/definition.generated'

function ids(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : []
}

/** Writes the rows of link tables for the fields that changed. */
export async function saveLinks(
  definition: Definition,
  saved: { id: string; companyId: string },
  changed: readonly string[],
  before: Row,
  after: Row,
): Promise<void> {
  for (const name of changed) {
    const field = definition.fields[name]
    if (field?.type !== 'many-to-many') continue
    const old = ids(before[name])
    const next = ids(after[name])
    await changeLinks(
      supabase,
      { through: field.through, near: field.near, far: field.far, ...saved },
      { add: next.filter((id) => !old.includes(id)), remove: old.filter((id) => !next.includes(id)) },
    )
  }
}
