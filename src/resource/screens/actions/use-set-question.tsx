import { useDataProvider } from '@refinedev/core'
import { type ReactNode, Suspense, useState } from 'react'
import type { Row } from '@/data/rows'
import { useCache } from '@/refine/use-cache'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { actionsOn, isOffered, type NamedAction } from '@/resource/request/filter/actions'
import { filterFields } from '@/resource/request/filter/mentioned-fields'
import { compareKinds, matches } from '@/resource/request/filter/predicate'
import { buildSelect } from '@/resource/request/query/select'
import { readAgain } from '@/resource/request/query/use-record-query'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { readPath } from '@/resource/request/query/values'
import { isBlank } from '@/resource/screens/form/check-record'
import { lazyPart } from '@/ui/load-chunk'

const SetDialog = lazyPart(() =>
  import('@/resource/screens/actions/action-dialog').then((module) => ({ default: module.SetDialog })),
)

interface Asked {
  named: NamedAction
  name: string
  record: Row
  okText: string
  answer: (isYes: boolean) => void
}

interface SetQuestion {
  /** Whether the field may be set: true at once where no action asks about the value. */
  ask: (name: string, value: unknown, okText: string) => Promise<boolean>
  dialog: ReactNode
}

/** Asks the question of an action whose `on_set` is about the value that a field gets by hand. */
export function useSetQuestion(definition: Definition, record: Row): SetQuestion {
  const provider = useDataProvider()
  const cache = useCache()
  const scope = useResourceScope()
  const [asked, setAsked] = useState<Asked | null>(null)

  /** The row that the filters of `on_set` are about: the chosen record, or this one with the value. */
  const judged = async (name: string, value: unknown, filters: readonly Filter[]) => {
    const field = definition.fields[name]
    const target = field?.type === 'relation' ? findDefinition(field.to) : undefined
    if (!target) return { row: { ...record, [name]: value }, kinds: compareKinds(definition) }
    const { data } = await provider().getOne<Row & { id: string }>({
      resource: target.name,
      id: String(value),
      meta: {
        table: tableOf(target),
        companyId: target.tenant === false ? null : scope.companyId,
        select: buildSelect(target, filters.flatMap(filterFields), findDefinition),
      },
    })
    return { row: data, kinds: compareKinds(target) }
  }

  const ask = async (name: string, value: unknown, okText: string): Promise<boolean> => {
    const asking = actionsOn(definition).flatMap((named) => {
      const filter = named.action.on_set?.[name]
      return filter ? [{ named, filter }] : []
    })
    if (asking.length === 0 || isBlank(value)) return true
    const { row, kinds } = await judged(
      name,
      value,
      asking.map(({ filter }) => filter),
    )
    const about = asking.flatMap(({ named, filter }) =>
      matches(filter, row, scope.filter, kinds) ? [named] : [],
    )
    if (about.length === 0) return true
    const now = await readAgain(cache, definition, scope, record)
    const named = about.find(
      ({ action }) =>
        isOffered(definition, action, now, scope.filter) &&
        (action.shows ?? []).some((path) => !isBlank(readPath(definition, now, path, findDefinition))),
    )
    if (!named) return true
    return new Promise((answer) => setAsked({ named, name, record: now, okText, answer }))
  }
  const close = (isYes: boolean) => {
    asked?.answer(isYes)
    setAsked(null)
  }
  return {
    ask,
    dialog: asked ? (
      <Suspense fallback={null}>
        <SetDialog
          definition={definition}
          named={asked.named}
          name={asked.name}
          record={asked.record}
          okText={asked.okText}
          onAnswer={close}
        />
      </Suspense>
    ) : null,
  }
}
