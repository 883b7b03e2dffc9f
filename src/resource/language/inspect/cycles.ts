import { ownField, targetOf } from '@/resource/fields/related-field'
import type { Definition, Field } from '@/resource/language/definition.generated'
import type { PointedProblem } from '@/resource/language/inspect/problems'

type Edges = ReadonlyMap<string, readonly string[]>

/** The way from a name back to itself, or null. */
function wayBack(start: string, edges: Edges): string[] | null {
  const seen = new Set<string>()
  const walk = (name: string, way: string[]): string[] | null => {
    for (const next of edges.get(name) ?? []) {
      if (next === start) return [...way, next]
      if (seen.has(next)) continue
      seen.add(next)
      const found = walk(next, [...way, next])
      if (found) return found
    }
    return null
  }
  return walk(start, [start])
}

function recordFields(value: unknown): string[] {
  return [...JSON.stringify(value ?? null).matchAll(/\$record\.(\w+)/g)].map(([, name = '']) => name)
}

function filterFields(filter: unknown): string[] {
  if (typeof filter !== 'object' || filter === null) return []
  return Object.entries(filter).flatMap(([key, value]) =>
    key === '_and' || key === '_or'
      ? (value as unknown[]).flatMap(filterFields)
      : [key, ...recordFields(value)],
  )
}

const LEANS: Record<string, (field: Field) => string[]> = {
  // A read-only field may well depend on itself: it is shown once it has a value.
  when: (field) => (field.readonly ? [] : filterFields(field.when)),
  where: (field) => recordFields(Reflect.get(field, 'where')),
  default: (field) => recordFields(Reflect.get(field, 'default')),
}

/** Each member would report the whole circle, so only its first name in order reports it. */
const isFirst = (way: readonly string[]): boolean => [...way].sort()[0] === way[0]

/** The relations that a title shows, each as the title of the record that it points to. */
function titleRelations(definition: Definition | null): [name: string, to: string][] {
  return [...(definition?.title ?? '').matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => {
    const to = definition ? targetOf(ownField(definition, name)) : null
    return to === null ? [] : [[name, to] as [string, string]]
  })
}

function titleCycle(definition: Definition, find: (name: string) => Definition | null): PointedProblem[] {
  const names = new Set<string>([definition.name])
  for (const name of names) for (const [, to] of titleRelations(find(name))) names.add(to)
  const edges = new Map([...names].map((name) => [name, titleRelations(find(name)).map(([, to]) => to)]))
  edges.set(
    definition.name,
    titleRelations(definition).map(([, to]) => to),
  )
  const way = wayBack(definition.name, edges)
  if (!way || !isFirst(way)) return []
  const [name] = titleRelations(definition).find(([, to]) => to === way[1]) ?? ['']
  return [
    {
      pointer: '/title',
      message: `the title goes in a circle through \`${name}\`: ${way.join(' → ')}`,
      hint: 'Name a field of the record itself.',
    },
  ]
}

/** Fields that wait for each other, and resources of which none can be made first. */
export function inspectCycles(
  definition: Definition,
  find: (name: string) => Definition | null,
): PointedProblem[] {
  const fields = Object.entries(definition.fields)
  const within = Object.entries(LEANS).flatMap(([key, leans]) => {
    const edges = new Map(fields.map(([name, field]) => [name, leans(field)]))
    return fields.flatMap(([name]) => {
      const way = wayBack(name, edges)
      return way && isFirst(way)
        ? [
            {
              pointer: `/fields/${name}/${key}`,
              message: `\`${key}\` goes in a circle: ${way.join(' → ')}`,
              hint: 'One of them must do without the others.',
            },
          ]
        : []
    })
  })
  const required = (name: string): [string, string][] =>
    Object.entries(find(name)?.fields ?? {}).flatMap(
      ([field, { type, required: isRequired, when, readonly, ...rest }]) =>
        type === 'relation' && isRequired && !when && !readonly && 'to' in rest
          ? [[field, String(rest.to)] as [string, string]]
          : [],
    )
  const titled = titleCycle(definition, find)
  const names = new Set<string>([definition.name])
  for (const name of names) for (const [, to] of required(name)) names.add(to)
  const edges = new Map([...names].map((name) => [name, required(name).map(([, to]) => to)]))
  const way = wayBack(definition.name, edges)
  if (!way) return [...within, ...titled]
  const field = required(definition.name).find(([, to]) => to === way[1])?.[0] ?? ''
  return [
    ...within,
    ...titled,
    {
      pointer: `/fields/${field}`,
      message: `none of them can be made first, since each requires the next: ${way.join(' → ')}`,
      hint: 'Leave out `"required"` in one of them.',
    },
  ]
}
