import type { CommentKind, Definition, Filter } from '@/resource/language/definition.generated'
import { singularOf } from '@/resource/language/naming'

interface Kind {
  color: NonNullable<CommentKind['color']> | null
  /** The permission object of a kind with lines of its own: `list` reads, `create` writes. */
  object: string | null
  /** The record takes comments of this kind while it is so. */
  when: Filter | null
  /** The actions that are offered while it is not. */
  instead: readonly string[]
}

export type CommentKinds = Readonly<Record<string, Kind>>

export interface Comments {
  table: string
  /** The column that points at the record. */
  column: string
  kinds: CommentKinds
  /** Fields of the record that name who takes part. */
  people: readonly string[]
  /** Whether the search of the records also looks into their comments. */
  searched: boolean
  place: 'main' | 'tab'
  /** The field of the record that is set together with a comment; null for none. */
  sets: string | null
  /** The box for a new comment is offered while the record is so. */
  offeredWhen: Filter | null
  /** Whether words of merged records are comments too, under the title of their record. */
  hasOrigin: boolean
}

/** The object of a kind with permission lines of its own: `tickets-notes`. */
function kindObject(resource: string, kind: string): string {
  return `${resource}-${kind}s`
}

/** The thread that a definition asks for, with its defaults; null without `comments`. */
export function commentsOf(definition: Definition): Comments | null {
  if (!definition.comments) return null
  const given = definition.comments === true ? {} : definition.comments
  const singular = singularOf(definition)
  const kinds = Object.entries(given.kinds ?? { reply: {} })
  return {
    table: `${singular}_comments`,
    column: `${singular}_id`,
    kinds: Object.fromEntries(
      kinds.map(([name, { color, own_lines: hasOwn, when, instead }]) => [
        name,
        {
          color: color ?? null,
          object: hasOwn ? kindObject(definition.name, name) : null,
          when: when ?? null,
          instead: instead ?? [],
        },
      ]),
    ),
    people: given.people ?? [],
    searched: given.search ?? false,
    place: given.place ?? 'tab',
    sets: given.sets ?? null,
    offeredWhen: given.offered_when ?? null,
    hasOrigin: given.origin ?? false,
  }
}
