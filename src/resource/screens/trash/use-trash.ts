import { useNotification } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import { CheckError, DuplicateError, GoneError, LinkError, toDataError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { useRpcCall } from '@/refine/use-rpc'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { resourceEntries } from '@/resource/language/registry'
import { useResourceLabels, useWords } from '@/resource/language/words'
import { recordTitle } from '@/resource/request/query/title'
import { useRefresh } from '@/resource/request/query/use-write'
import { useErrorText } from '@/resource/use-error-text'

/** A record in the trash, as the function of the database lists it. */
export interface Trashed {
  id: string
  company_id: string | null
  deleted_at: string
  /** When it is deleted for good. */
  ends_at: string
  deleted_name: string | null
  /** The columns that were asked for. */
  record: Row
  /** How many records are in the trash. */
  total: number
}

interface Outcome {
  id: string
  outcome: 'changed' | 'deleted' | 'gone' | 'refused'
  reason: unknown
}

type Act = 'restore' | 'purge'

interface Toast {
  type: 'success' | 'error'
  message: string
  description?: string
}

const CALLS = { restore: 'restore_records', purge: 'purge_records' } as const
const DONE = { restore: 'restored', purge: 'purged' } as const
/** The database takes no more at a time. */
const MAX_ROWS = 1000
/** Records that are deleted for good take their files and comments along, so fewer at a time. */
const MAX_PURGED = 100

/** Restores records of a trash or deletes them for good, and says in a toast what became of them. */
export function useTrash(definition: Definition) {
  const { t } = useTranslation('trash')
  const words = useWords(definition)
  const labels = useResourceLabels()
  const errorText = useErrorText()
  const call = useRpcCall()
  const refresh = useRefresh(definition)
  const { open } = useNotification()

  const reasonOf = (error: unknown): string => {
    if (error instanceof CheckError && error.rule === 'restore_parent') return t('parent')
    if (error instanceof DuplicateError) {
      const field = uniqueField(definition, error)
      return field ? t('taken', { field: words.field(field) }) : t('takenAny')
    }
    if (error instanceof GoneError) return t('gone')
    const holder = error instanceof LinkError && / on table "([^"]+)"$/.exec(error.message)?.[1]
    const entry = resourceEntries().find((each) => each.definition && tableOf(each.definition) === holder)
    if (entry) return t('held', { names: labels(entry.name).many })
    return errorText(error)
  }
  const write = async (act: Act, ids: readonly string[]): Promise<Outcome[]> => {
    const resource = tableOf(definition)
    const size = act === 'purge' ? MAX_PURGED : MAX_ROWS
    const outcomes: Outcome[] = []
    for (let from = 0; from < ids.length; from += size)
      outcomes.push(...(await call<Outcome[]>(CALLS[act], { resource, ids: ids.slice(from, from + size) })))
    return outcomes
  }
  const outcomeOf = async (act: Act, rows: readonly Row[], doneText: string): Promise<Toast> => {
    const failed = (error: unknown): Toast => ({
      type: 'error',
      message: t('failed', { action: t(act) }),
      description: reasonOf(error),
    })
    try {
      const outcomes = await write(
        act,
        rows.map(({ id }) => String(id)),
      )
      const done = outcomes.filter(({ outcome }) => outcome === 'changed' || outcome === 'deleted').length
      if (done === rows.length) return { type: 'success', message: doneText }
      const refused = outcomes.find(({ outcome }) => outcome === 'refused')
      const error = refused ? toDataError(refused.reason) : new GoneError('Not in the trash')
      if (done === 0) return failed(error)
      return {
        type: 'error',
        message: t('partly', { done, count: rows.length }),
        description: reasonOf(error),
      }
    } catch (error) {
      return failed(error)
    }
  }
  const run = async (act: Act, rows: readonly Row[], doneText?: string): Promise<void> => {
    const values = {
      count: rows.length,
      name: words.many,
      title: rows[0] ? recordTitle(definition, rows[0]) : '',
    }
    const toast = await outcomeOf(act, rows, doneText ?? t(DONE[act], values))
    // A record that is said to be gone must not be listed any more.
    await refresh()
    open?.(toast)
  }
  return {
    restore: (rows: readonly Row[]) => run('restore', rows),
    purge: (rows: readonly Row[]) => run('purge', rows),
    /** Deletes for good whatever is in the trash of the company in view. */
    empty: async (companyId: string | null): Promise<void> => {
      const all: Trashed[] = []
      for (let isEnd = false; !isEnd; ) {
        const last = all.at(-1)
        const rows = await call<Trashed[]>('trash', {
          resource: tableOf(definition),
          company: companyId,
          max_rows: MAX_ROWS,
          ...(last ? { after_at: last.deleted_at, after_id: last.id } : {}),
        })
        all.push(...rows)
        isEnd = rows.length < MAX_ROWS
      }
      await run(
        'purge',
        all.map(({ id }) => ({ id })),
        t('emptied'),
      )
    },
  }
}

/** The field whose value another record has taken; none where several are unique together. */
function uniqueField(definition: Definition, { constraint }: DuplicateError): string | undefined {
  return Object.keys(definition.fields).find((name) => constraint === `${tableOf(definition)}_${name}_key`)
}

/** Whole days until a record is deleted for good, the current one included. */
export function daysLeft(endsAt: string, now = Date.now()): number {
  return Math.max(1, Math.ceil((Date.parse(endsAt) - now) / 86_400_000))
}
