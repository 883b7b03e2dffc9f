import { useEffect, useRef, useState } from 'react'
import { type DataError, OfflineError, toDataError } from '@/data/errors'
import { useRpcCall } from '@/refine/use-rpc'
import type { Definition } from '@/resource/language/definition.generated'
import { useRefresh } from '@/resource/request/query/use-write'
import {
  type CheckedRows,
  type CheckOptions,
  checkRows,
  type Mistake,
} from '@/resource/tools/import/check-rows'
import {
  fileText,
  findMissing,
  type ImportAnswer,
  type ImportRequest,
  importRows,
  serverMistakes,
} from '@/resource/tools/import/import-call'

/** The result of the check; the import is exactly this, or nothing. */
export interface CheckReport {
  request: ImportRequest
  checked: CheckedRows
  answer: ImportAnswer
  mistakes: Mistake[]
}

/** An event before the rows were checked: a connection lost while they were written, or somebody else's work. */
type Before = 'lost' | 'changed' | null

export type RunState =
  | { phase: 'idle' }
  | { phase: 'checking'; before: Before }
  | { phase: 'uncheckable'; error: DataError; before: Before }
  | { phase: 'checked'; report: CheckReport; before: Before }
  | { phase: 'writing'; report: CheckReport }
  | { phase: 'lost'; report: CheckReport }
  | { phase: 'refused'; report: CheckReport; error: DataError }
  | { phase: 'done'; answer: ImportAnswer }

export interface RunOptions extends Omit<CheckOptions, 'definition' | 'isStopped'> {
  companyId: string | null
  find: ImportRequest['find']
}

const NOTHING: ImportAnswer = { inserted: 0, updated: 0, same: 0, written: false, errors: [], more: false }

function inOrder(mistakes: readonly Mistake[]): Mistake[] {
  return [...mistakes].sort((a, b) => a.line - b.line)
}

/** The check and the import: first here, then by the database without writing, then by the database. */
export function useImportRun(
  definition: Definition,
  /** Null until there is a file. */
  options: RunOptions | null,
) {
  const [state, setState] = useState<RunState>({ phase: 'idle' })
  const turn = useRef(0)
  const call = useRpcCall()
  const invalidate = useRefresh(definition)
  useEffect(
    () => () => {
      turn.current++
    },
    [],
  )

  const check = async (before: Before = null) => {
    if (!options) return
    turn.current++
    const mine = turn.current
    const isStopped = () => mine !== turn.current
    setState({ phase: 'checking', before })
    try {
      const checked = await checkRows({ ...options, definition, isStopped })
      if (isStopped()) return
      const { plan, companyId, find, table } = options
      const request: ImportRequest = { definition, plan, companyId, find, rows: checked.rows }
      const good = checked.rows.length > 0 ? await importRows(call, request, true) : NOTHING
      const missing = await findMissing(call, { ...request, rows: checked.wrong })
      if (isStopped()) return
      const answer = { ...good, more: good.more || missing.more }
      const errors = [...good.errors, ...missing.errors]
      const found = serverMistakes(request, errors, fileText(table, plan.columns))
      const mistakes = inOrder([...checked.mistakes, ...found])
      setState({ phase: 'checked', report: { request, checked, answer, mistakes }, before })
      // Written without an answer: nothing else reads the list under the dialog again.
      if (before === 'lost') void invalidate()
    } catch (error) {
      if (!isStopped()) setState({ phase: 'uncheckable', error: toDataError(error), before })
    }
  }

  const write = async (report: CheckReport) => {
    setState({ phase: 'writing', report })
    const mine = turn.current
    try {
      const answer = await importRows(call, report.request, false)
      if (mine === turn.current) {
        if (answer.written) setState({ phase: 'done', answer })
        else void check('changed')
      }
      await invalidate()
    } catch (error) {
      if (mine !== turn.current) return
      const failure = toDataError(error)
      // No answer: the database may have written all of it and not been heard.
      if (failure instanceof OfflineError) setState({ phase: 'lost', report })
      else setState({ phase: 'refused', report, error: failure })
    }
  }
  return {
    state,
    check,
    write,
    /** Back to what was chosen; whatever is being checked is no longer of interest. */
    reset: () => {
      turn.current++
      setState({ phase: 'idle' })
    },
  }
}
