import type { Definition } from '@/resource/language/definition.generated'

export interface NoOverlap {
  by: string[]
  from: string
  until: string
}

/** Records with the same values of `by` whose time from `from` until `until` must not overlap. */
export function noOverlapOf({ no_overlap: rule }: Definition): NoOverlap | null {
  return rule ? { ...rule, by: typeof rule.by === 'string' ? [rule.by] : rule.by } : null
}
