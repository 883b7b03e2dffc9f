import { useEffect, useState } from 'react'
import { isPrivatePath } from '@/app/paths'
import { loadChunk } from '@/ui/load-chunk'

type PathKind = 'private' | 'unknown' | 'pending'

let declared: readonly string[] | null = null

/** The pages that definitions add: known once the signed-in part has loaded, asked for on an odd address. */
export function publishDeclaredPaths(paths: readonly string[]): void {
  declared = paths
}

/** Those known so far. */
export function declaredPaths(): readonly string[] {
  return declared ?? []
}

/**
 * Whether an address is one of the console's private pages. Only an address the console itself does not
 * have costs the look into the definitions, so that the sign-in page never loads them.
 */
export function usePathKind(pathname: string): PathKind {
  const [, setLoaded] = useState(false)
  const isKnown = isPrivatePath(pathname, declared ?? [])
  const mustLoad = !isKnown && declared === null

  useEffect(() => {
    if (!mustLoad) return
    let isCurrent = true
    loadChunk(() => import('@/app/resource-routes')).then(
      (module) => {
        publishDeclaredPaths(module.resourcePaths())
        if (isCurrent) setLoaded(true)
      },
      (error: unknown) => {
        console.error(error)
        publishDeclaredPaths([])
        if (isCurrent) setLoaded(true)
      },
    )
    return () => {
      isCurrent = false
    }
  }, [mustLoad])

  if (isKnown) return 'private'
  return mustLoad ? 'pending' : 'unknown'
}
