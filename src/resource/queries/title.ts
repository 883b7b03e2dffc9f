import type { Definition } from '@/resource/definition/definition.generated'

const SLOT = /\{(\w+)\}/g
const TEXT_KINDS = new Set(['text', 'email', 'url', 'ip', 'mac'])

function template(definition: Definition): string {
  if (definition.title) return definition.title
  const first = Object.entries(definition.fields).find(([, field]) => TEXT_KINDS.has(field.type))
  return `{${first?.[0] ?? 'id'}}`
}

/** The fields a record's title is made of. */
export function titleFields(definition: Definition): string[] {
  return [...template(definition).matchAll(SLOT)].flatMap(([, name]) => (name ? [name] : []))
}

/** How one record is called; its key's beginning when the title's fields are all empty. */
export function recordTitle(definition: Definition, row: Record<string, unknown>): string {
  const filled = template(definition).replace(SLOT, (_slot, name: string) => {
    const value = row[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  })
  const title = filled.replace(/^[\s·–-]+|[\s·–-]+$/g, '')
  return title === '' ? String(row.id ?? '').slice(0, 8) : title
}
