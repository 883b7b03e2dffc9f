import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef } from 'react'
import { useAccess } from '@/access/use-access'
import { engineComponents } from '@/app/components'
import { resourcePages } from '@/app/resource-routes'
import { readableDefinition } from '@/resource/definition/guards'
import { listOf } from '@/resource/definition/naming'
import { prefetchList } from '@/resource/queries/use-list'
import { useResourceScope } from '@/resource/queries/use-scope'
import { findDefinition } from '@/resource/registry'

/** A pointer on its way across the menu asks for nothing. */
const REST_MS = 50

/** Brings a list's code and its first page while the pointer rests on the entry that leads there. */
export function useListPrefetch(): (path: string) => void {
  const client = useQueryClient()
  const scope = useResourceScope()
  const { can } = useAccess()
  const lists = useMemo(
    () =>
      new Map(
        resourcePages()
          .filter(({ screen }) => screen === 'list')
          .map(({ path, resource }) => [path, resource] as const),
      ),
    [],
  )
  const timer = useRef<number | undefined>(undefined)
  useEffect(() => () => window.clearTimeout(timer.current), [])

  const prefetch = (resource: string) => {
    const definition = findDefinition(resource)
    if (!definition || !can(resource, 'list').allowed) return
    const component = listOf(definition)?.component
    if (component) {
      engineComponents[component]?.().catch(() => undefined)
      return
    }
    // A prefetch that fails is no loss: the page asks again.
    import('@/resource/screens/resource-list').catch(() => undefined)
    const mayRead = ({ object, verb }: { object: string; verb: string }) => can(object, verb).allowed
    prefetchList(client, readableDefinition(definition, mayRead), scope)
  }
  return (path) => {
    window.clearTimeout(timer.current)
    const resource = lists.get(path)
    if (resource) timer.current = window.setTimeout(() => prefetch(resource), REST_MS)
  }
}
