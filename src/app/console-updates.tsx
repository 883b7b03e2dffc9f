import { useEffect, useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { consolePages, findPage } from '@/app/registry'
import type { ResourceEntry } from '@/resource/language/entry'
import { replaceDefinitions, wouldReplace } from '@/resource/language/registry'
import { replaceWords } from '@/resource/language/words'
import {
  addDefinitionPaths,
  areDefinitionsOutdated,
  fetchDefinitions,
  fetchResourceWords,
  outdatedLanguages,
  useConsoleVersions,
} from '@/ui/console-files'
import { useUnsavedWork } from '@/ui/leaving'
import { loadChunk } from '@/ui/load-chunk'
import { Notice } from '@/ui/notice'

/** How often a page with unsaved work is asked whether it still has some, in milliseconds. */
const ASK_EVERY = 500

/** Shows the definitions that the server compiled. */
export function takeDefinitions(entries: unknown): void {
  replaceDefinitions(entries as readonly ResourceEntry[])
  addDefinitionPaths(consolePages().flatMap(({ routes }) => routes.map(({ path }) => path)))
}

/** Fetched definitions that the page does not show yet. */
let pending: readonly ResourceEntry[] | null = null
const listeners = new Set<() => void>()

function setPending(entries: readonly ResourceEntry[] | null): void {
  pending = entries
  for (const listener of [...listeners]) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const currentPending = () => pending

/** Fetches what this page has in an earlier version. Texts are replaced at once: no page loses input by them. */
async function fetchUpdate(): Promise<void> {
  const [definitions] = await Promise.all([
    areDefinitionsOutdated() ? loadChunk(fetchDefinitions) : null,
    ...outdatedLanguages().map(async (language) =>
      replaceWords(language, await loadChunk(() => fetchResourceWords(language))),
    ),
  ])
  if (definitions) setPending(definitions as readonly ResourceEntry[])
}

/** Updates run one after the other, so that an earlier answer never replaces a later one. */
let updates = Promise.resolve()

/**
 * Follows the definitions and texts of the running server. A page whose own definition changed is mounted again; while
 * it holds unsaved work, it waits and says so.
 */
export function ConsoleUpdates() {
  const { t } = useTranslation('common')
  const { pathname } = useLocation()
  const versions = useConsoleVersions()
  const hasUnsavedWork = useUnsavedWork()
  const pending = useSyncExternalStore(subscribe, currentPending, currentPending)
  const [isWaiting, setWaiting] = useState(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: new versions are what asks for a new reading
  useEffect(() => {
    updates = updates.then(fetchUpdate, fetchUpdate)
  }, [versions])

  useEffect(() => {
    if (!pending) return
    const name = findPage(pathname)?.page.name
    const apply = () => {
      const isHeld = name !== undefined && wouldReplace(name, pending) && hasUnsavedWork()
      setWaiting(isHeld)
      if (isHeld) return
      takeDefinitions(pending)
      setPending(null)
    }
    apply()
    const timer = window.setInterval(apply, ASK_EVERY)
    return () => window.clearInterval(timer)
  }, [pending, pathname, hasUnsavedWork])

  if (!isWaiting) return null
  return <Notice tone="info" role="status" title={t('newVersion.title')} text={t('newVersion.text')} />
}
