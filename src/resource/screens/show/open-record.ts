import { useEffect, useSyncExternalStore } from 'react'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import type { ActionRunner } from '@/resource/screens/actions/use-action-runner'

interface OpenRecord {
  definition: Definition
  record: Row
  words: ResourceWords
  /** The page's own, so that what an action asks opens there. */
  run: ActionRunner['run']
  remove: ActionRunner['remove']
}

let current: OpenRecord | null = null
const listeners = new Set<() => void>()

function publish(next: OpenRecord | null): void {
  current = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** A record's page registers its record, so that the shell can offer its actions. */
export function usePublishedRecord({ definition, record, words, run, remove }: OpenRecord): void {
  useEffect(() => {
    const own = { definition, record, words, run, remove }
    publish(own)
    return () => {
      // The next record's page may have come before this one went.
      if (current === own) publish(null)
    }
  }, [definition, record, words, run, remove])
}

/** The record whose page is open; null on every other page. */
export function useOpenRecord(): OpenRecord | null {
  return useSyncExternalStore(subscribe, () => current)
}
