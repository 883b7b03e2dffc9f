import { useEffect, useRef } from 'react'
import { useCan } from '@/access/use-can'
import { engineComponents } from '@/app/components'
import { isUsable } from '@/app/navigation'
import type { Page } from '@/app/registry'
import { useCache } from '@/refine/use-cache'
import type { Definition } from '@/resource/definition/definition.generated'
import { listOf } from '@/resource/definition/naming'
import { readableDefinition } from '@/resource/fields/guards'
import { prefetchList } from '@/resource/query/use-list-query'
import { useResourceScope } from '@/resource/query/use-scope'

/** A pointer that crosses the menu prefetches nothing. */
const REST_MS = 50

/** Loads a list's code and first page while the pointer rests on its entry. */
export function useListPrefetch(): (page: Page) => void {
  const cache = useCache()
  const scope = useResourceScope()
  const can = useCan()
  const timer = useRef<number | undefined>(undefined)
  useEffect(() => () => window.clearTimeout(timer.current), [])

  const prefetch = (definition: Definition) => {
    const component = listOf(definition)?.component
    if (component) {
      engineComponents[component]?.().catch(() => undefined)
      return
    }
    // A failed prefetch is ignored: the page loads the data again.
    import('@/resource/screens/resource-list').catch(() => undefined)
    const mayRead = ({ object, verb }: { object: string; verb: string }) => can(object, verb).allowed
    prefetchList(cache, readableDefinition(definition, mayRead), scope, can)
  }
  return (page) => {
    window.clearTimeout(timer.current)
    const { definition } = page
    if (definition && isUsable(page, can))
      timer.current = window.setTimeout(() => prefetch(definition), REST_MS)
  }
}
