import { createContext, useContext } from 'react'
import { useEngineWords } from '@/i18n/use-language'
import type { Filter } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { compareKinds, matches } from '@/resource/request/filter/predicate'

/** No value: a dash to see, words to hear. */
export function Blank() {
  const t = useEngineWords()
  return (
    <span className="k-blank">
      <span aria-hidden="true">–</span>
      <span className="k-visually-hidden">{t('blank')}</span>
    </span>
  )
}

/** A value that the user may not see: another record without the permission for it. */
export function Unseen() {
  const t = useEngineWords()
  return (
    <span className="k-soft" title={t('unseenTitle')}>
      {t('unseen')}
    </span>
  )
}

/** Off where a press on a value means the value itself, such as in a list whose cells are edited. */
export const FieldLinksContext = createContext(true)

/** Whether a value that names something else leads there when it is pressed. */
export function useFieldLinks(): boolean {
  return useContext(FieldLinksContext)
}

/** Whether a value that is colored by how high or how late it is has a color in this record. */
export function isColored(
  { color_when: filter }: { color_when?: Filter | undefined },
  resource: string,
  row: Record<string, unknown>,
): boolean {
  return !filter || isMatched(filter, resource, row)
}

/** Whether the clock that a value is about is paused in this record. */
export function isPaused(
  { paused_when: filter }: { paused_when?: Filter | undefined },
  resource: string,
  row: Record<string, unknown>,
): boolean {
  return filter !== undefined && isMatched(filter, resource, row)
}

function isMatched(filter: Filter, resource: string, row: Record<string, unknown>): boolean {
  const definition = findDefinition(resource)
  return matches(filter, row, {}, definition ? compareKinds(definition) : undefined)
}
