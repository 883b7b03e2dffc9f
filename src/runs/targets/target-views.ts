import { useMemo } from 'react'
import { useCan } from '@/access/use-can'
import type { MatchingRows } from '@/resource/engine-context'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { matchingFilter } from '@/resource/request/filter/matching-filter'
import { listFilter } from '@/resource/request/query/list-request'
import { changeList, type ListState, parseListState } from '@/resource/request/query/list-state'
import { openViews, useListSettings, viewState, viewsOf } from '@/resource/request/query/saved-views'
import { useResourceScope } from '@/resource/request/query/use-scope'

export interface TargetView {
  id: string
  name: string
  rows: MatchingRows
}

/** The views of the Devices list, those of people first, each with the filter that it means now. */
export function useTargetViews(devices: Definition): TargetView[] {
  const words = useWords(devices)
  const can = useCan()
  const settings = useListSettings()
  const scope = useResourceScope()
  return useMemo(() => {
    const rowsOf = (state: ListState): MatchingRows => ({
      filter: matchingFilter(
        devices,
        listFilter(devices, state, { find: findDefinition, extra: undefined }),
        null,
        scope.filter,
      ),
      q: state.q.trim(),
    })
    const bare = parseListState(new URLSearchParams(), devices, findDefinition)
    return [
      ...viewsOf(settings, devices.name).map((view) => ({
        id: view.id,
        name: view.name,
        rows: rowsOf(viewState(view, devices, findDefinition)),
      })),
      ...openViews(devices, can).map((view) => ({
        id: view,
        name: words.view(view),
        rows: rowsOf(changeList(bare, { view })),
      })),
    ]
  }, [devices, words, settings, scope.filter, can])
}
