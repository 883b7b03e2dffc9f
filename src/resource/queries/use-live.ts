import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { companyTopic, type LiveChange, watchCompany } from '@/data/live'
import type { Definition } from '@/resource/definition/definition.generated'
import { tableOf } from '@/resource/definition/naming'
import { tableKey } from '@/resource/queries/keys'
import type { ResourceScope } from '@/resource/queries/use-scope'

/** A busy fleet announces changes many times a second; a screen reads again at most this often. */
const GATHER_MS = 1000

/** The tables whose changes show on this resource's screens: its own, and those its fields are read from. */
export function watchedTables(definition: Definition): Set<string> {
  const tables = new Set([tableOf(definition)])
  for (const field of Object.values(definition.fields)) {
    if (field.from) tables.add(field.from.table)
    if (field.type === 'many-to-many') tables.add(field.through)
  }
  return tables
}

function useChanges(
  definition: Definition,
  scope: ResourceScope,
  onChanges: (changes: LiveChange[]) => void,
): void {
  const handler = useRef(onChanges)
  useEffect(() => {
    handler.current = onChanges
  })
  const { companyId } = scope
  useEffect(() => {
    if (definition.live === false) return
    const tables = watchedTables(definition)
    let gathered: LiveChange[] = []
    let timer: number | undefined
    const stop = watchCompany(companyTopic(companyId), (change) => {
      if (change.table !== '*' && !tables.has(change.table)) return
      gathered.push(change)
      timer ??= window.setTimeout(() => {
        const changes = gathered
        gathered = []
        timer = undefined
        handler.current(changes)
      }, GATHER_MS)
    })
    return () => {
      stop()
      window.clearTimeout(timer)
    }
  }, [definition, companyId])
}

/**
 * Follows a table: everything shown of it is read again after a change. `hold` may refuse, to keep rows in
 * their places under a user who is at work on them; it gets what came.
 */
export function useLive(
  definition: Definition,
  scope: ResourceScope,
  hold?: (changes: LiveChange[]) => boolean,
): void {
  const client = useQueryClient()
  useChanges(definition, scope, (changes) => {
    if (hold?.(changes)) return
    void client.invalidateQueries({ queryKey: tableKey(scope.companyId, tableOf(definition)) })
  })
}
