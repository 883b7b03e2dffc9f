import { BUNDLED_DEFINITIONS } from 'virtual:definitions'
import { useSyncExternalStore } from 'react'
import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceEntry } from '@/resource/language/entry'

let entries: readonly ResourceEntry[] = BUNDLED_DEFINITIONS
let byName = new Map(entries.map((entry) => [entry.name, entry]))
/** Definitions that this page has shown and whose files are gone. */
let removed: readonly ResourceEntry[] = []
let version = 0
const listeners = new Set<() => void>()

/** How often a definition of this name was replaced; a screen is mounted again when it is. */
const revisions = new Map<string, number>()

/** Tells the components that show definitions or their texts that some have changed. */
export function announceDefinitions(): void {
  version += 1
  for (const listener of [...listeners]) listener()
}

/** Definitions that did not change stay the same objects, so that their screens keep what they show. */
export function replaceDefinitions(next: readonly ResourceEntry[]): void {
  const before = byName
  entries = next.map((entry) => {
    const known = before.get(entry.name)
    if (!known || !isSame(known.definition, entry.definition)) return entry
    return isSame(known.problems, entry.problems) ? known : { ...entry, definition: known.definition }
  })
  byName = new Map(entries.map((entry) => [entry.name, entry]))
  for (const [name, { definition }] of byName)
    if (before.has(name) && before.get(name)?.definition !== definition)
      revisions.set(name, revisionOf(name) + 1)
  const gone = [...before.values()].filter(({ name }) => !byName.has(name))
  removed = [...removed.filter(({ name }) => !byName.has(name)), ...gone]
  announceDefinitions()
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Whether replacing the definitions would mount the screens of this resource again. */
export function wouldReplace(name: string, next: readonly ResourceEntry[]): boolean {
  const found = next.find((entry) => entry.name === name)
  return byName.has(name) && !isSame(byName.get(name)?.definition, found?.definition)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const currentVersion = () => version

/** Renders the component again when a definition or a text of a resource has changed; a new number each time. */
export function useDefinitionsVersion(): number {
  return useSyncExternalStore(subscribe, currentVersion, currentVersion)
}

/** The resource of this name as it is now, and how often its definition was replaced. */
export function useEntry(name: string): { entry: ResourceEntry | undefined; revision: number } {
  useDefinitionsVersion()
  return { entry: findEntry(name), revision: revisionOf(name) }
}

function revisionOf(name: string): number {
  return revisions.get(name) ?? 0
}

export function resourceEntries(): readonly ResourceEntry[] {
  return entries
}

export function removedEntries(): readonly ResourceEntry[] {
  return removed
}

export function findEntry(name: string): ResourceEntry | undefined {
  return byName.get(name)
}

export function findDefinition(name: string): Definition | null {
  return byName.get(name)?.definition ?? null
}
