import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { supabase } from '@/data/client'
import { countRows, type Row, readPage } from '@/data/rows'
import { useLanguage } from '@/i18n/use-language'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { csvWriter } from '@/resource/export/csv'
import { exportColumns, exportFields } from '@/resource/export/export-columns'
import { blobSink, type ExportFormat, fileName, saveBlob } from '@/resource/export/export-file'
import { type ExportProgress, exportJob } from '@/resource/export/export-job'
import { xlsxWriter } from '@/resource/export/xlsx'
import { listRequest } from '@/resource/queries/list-request'
import type { ResourceScope } from '@/resource/queries/use-scope'
import { findDefinition } from '@/resource/registry'
import type { ListColumn } from '@/resource/screens/list/columns'
import type { ListState } from '@/resource/screens/list/list-state'
import { useColumnWord } from '@/resource/screens/list/use-column-word'
import { useFieldWords, useValueWords, useWords } from '@/resource/words'

/** The list as it stands: what is exported. */
export interface ExportedList {
  definition: Definition
  columns: readonly ListColumn[]
  state: ListState
  scope: ResourceScope
  /** The record whose rows these are. */
  extra?: Filter
}

type ExportState =
  | { phase: 'choosing'; isCancelled: boolean }
  | ({ phase: 'running' } & ExportProgress)
  | ({ phase: 'failed'; error: unknown } & ExportProgress)
  | { phase: 'done'; rows: number; file: string }

interface Job {
  run: (signal: AbortSignal) => Promise<number>
  finish: () => Blob
  format: ExportFormat
  controller: AbortController
}

const NOTHING_YET: ExportProgress = { done: 0, total: null, isWaiting: false }

/** Reads the list from its first row to its last and saves it as a file. */
export function useExport({ definition, columns, state: list, scope, extra }: ExportedList) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const words = useWords(definition)
  const column = useColumnWord(definition, words)
  const field = useFieldWords()
  const value = useValueWords()
  const [state, setState] = useState<ExportState>({ phase: 'choosing', isCancelled: false })
  const progress = useRef(NOTHING_YET)
  const current = useRef<Job | null>(null)
  useEffect(() => () => current.current?.controller.abort(), [])

  const prepare = (format: ExportFormat): Job => {
    const fields = exportFields(definition, columns)
    const fileWords = {
      column,
      field,
      value,
      yes: t('yes'),
      no: t('no'),
      seconds: t('units.s', { amount: '' }).trim(),
    }
    const cells = exportColumns(definition, fields, fileWords, findDefinition)
    const titles = cells.map(({ title }) => title)
    const { page, count } = listRequest(
      definition,
      fields,
      { ...list, page: 1, cursor: null },
      { companyId: scope.companyId, scope: scope.filter, find: findDefinition, extra },
    )
    const { emit, finish } = blobSink(format)
    const writer =
      format === 'csv'
        ? csvWriter(titles, language, emit)
        : xlsxWriter(titles, { language, name: words.many, emit })
    const run = exportJob({
      page,
      read: (next, signal) => readPage(supabase, next, signal),
      count: (signal) => countRows(supabase, count, count.select, signal),
      toCells: (row: Row) => cells.map(({ read }) => read(row)),
      writer,
      onProgress: (next) => {
        if (job.controller.signal.aborted || current.current !== job) return
        progress.current = next
        setState({ phase: 'running', ...next })
      },
    })
    const job: Job = { run, finish, format, controller: new AbortController() }
    return job
  }

  const proceed = async (job: Job) => {
    const { signal } = job.controller
    setState({ phase: 'running', ...progress.current })
    try {
      const rows = await job.run(signal)
      const file = fileName(words.many, job.format, new Date())
      saveBlob(job.finish(), file)
      current.current = null
      setState({ phase: 'done', rows, file })
    } catch (error) {
      if (!signal.aborted) setState({ phase: 'failed', error, ...progress.current })
    }
  }

  return {
    state,
    start: (format: ExportFormat) => {
      progress.current = NOTHING_YET
      current.current = prepare(format)
      void proceed(current.current)
    },
    /** Goes on behind the last row that was written. */
    retry: () => {
      if (current.current) void proceed(current.current)
    },
    cancel: () => {
      current.current?.controller.abort()
      current.current = null
      setState({ phase: 'choosing', isCancelled: true })
    },
  }
}
