import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { readingClient, supabase } from '@/data/client'
import { withHidden } from '@/data/request'
import { countRows, type Row, type RowPage, readPage } from '@/data/rows'
import { SEPARATE } from '@/data/separate-reads'
import { useLanguage } from '@/i18n/use-language'
import { rowPage } from '@/refine/data-provider'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useFieldWords, useValueWords, useWords } from '@/resource/language/words'
import { type ListColumn, useColumnWord } from '@/resource/request/query/columns'
import { effectiveSort, listRequest } from '@/resource/request/query/list-request'
import type { ListState } from '@/resource/request/query/list-state'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { csvWriter } from '@/resource/tools/export/csv'
import { exportColumns, exportFields } from '@/resource/tools/export/export-columns'
import {
  type ExportFormat,
  type FileSink,
  fileName,
  fileSink,
  removeStaleFiles,
  saveBlob,
} from '@/resource/tools/export/export-file'
import { type ExportProgress, exportJob, readSelected } from '@/resource/tools/export/export-job'
import { packedRows } from '@/resource/tools/export/packed-rows'
import { xlsxWriter } from '@/resource/tools/export/xlsx'

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
  sink: FileSink
  format: ExportFormat
  controller: AbortController
}

const NOTHING_YET: ExportProgress = { done: 0, total: null, isWaiting: false }

function stop(job: Job | null): void {
  job?.controller.abort()
  void job?.sink.discard()
}

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
  /** Counts the starts and their ends. */
  const starts = useRef(0)
  useEffect(() => {
    void removeStaleFiles()
    return () => {
      starts.current++
      stop(current.current)
    }
  }, [])

  const prepare = (format: ExportFormat, sink: FileSink, chosen: readonly string[] | null): Job => {
    const fields = exportFields(definition, columns)
    const fileWords = {
      column,
      field,
      value,
      yes: t('yes'),
      no: t('no'),
      unit: (unit: 's' | 'min') => t(`units.${unit}`, { amount: '' }).trim(),
    }
    const cells = exportColumns(definition, fields, fileWords, findDefinition)
    const titles = cells.map(({ title }) => title)
    const request = (of: ListState, narrowed?: Filter) =>
      listRequest(
        definition,
        fields,
        { ...of, page: 1, cursor: null },
        {
          companyId: scope.companyId,
          scope: scope.filter,
          find: findDefinition,
          extra: narrowed,
          source: scope.source,
        },
      )
    const whole = request(list, extra)
    const count = rowPage(whole.count)
    const { write } = sink
    const writer =
      format === 'csv'
        ? csvWriter(titles, language, write)
        : xlsxWriter(titles, { language, name: words.many, write })
    const packed = packedRows()
    // Records that are read separately would overwrite the packed rows.
    const isSeparate = rowPage(whole.page).select.includes(SEPARATE)
    const client = isSeparate ? supabase : readingClient(packed.fetch)
    const read = (next: RowPage, signal: AbortSignal) => {
      packed.clear()
      return readPage(client, next, signal)
    }
    // Selected rows stay selected when the list is narrowed further, so the list's filters do not apply to the
    // selection.
    const plain = {
      ...list,
      q: '',
      view: null,
      filters: {},
      where: null,
      sort: effectiveSort(definition, list),
    }
    const run = exportJob({
      page: rowPage(whole.page),
      read: chosen
        ? readSelected(chosen, (ids) => rowPage(request(plain, { id: { _in: [...ids] } }).page), read)
        : read,
      unpack: isSeparate ? (row) => row : (place) => withHidden([packed.unpack(place)])[0] ?? place,
      count: chosen
        ? async () => chosen.length
        : (signal) => countRows(supabase, count, count.select, signal),
      toCells: (row: Row) => cells.map(({ read }) => read(row)),
      writer,
      onProgress: (next) => {
        if (job.controller.signal.aborted || current.current !== job) return
        progress.current = next
        setState({ phase: 'running', ...next })
      },
    })
    const job: Job = { run, sink, format, controller: new AbortController() }
    return job
  }

  const proceed = async (job: Job) => {
    const { signal } = job.controller
    setState({ phase: 'running', ...progress.current })
    try {
      const rows = await job.run(signal)
      const file = fileName(words.many, job.format, new Date())
      const blob = await job.sink.finish()
      signal.throwIfAborted()
      saveBlob(blob, file, () => void job.sink.discard())
      current.current = null
      setState({ phase: 'done', rows, file })
    } catch (error) {
      if (!signal.aborted) setState({ phase: 'failed', error, ...progress.current })
    }
  }

  return {
    state,
    /** Exports the rows with these ids; null exports all that match. */
    start: async (format: ExportFormat, chosen: readonly string[] | null) => {
      progress.current = NOTHING_YET
      setState({ phase: 'running', ...NOTHING_YET })
      const begun = ++starts.current
      const sink = await fileSink(format)
      // Cancelled, or closed, while the disk was asked.
      if (begun !== starts.current) return sink.discard()
      current.current = prepare(format, sink, chosen)
      await proceed(current.current)
    },
    /** Goes on behind the last row that was written. */
    retry: () => {
      if (current.current) void proceed(current.current)
    },
    cancel: () => {
      starts.current++
      stop(current.current)
      current.current = null
      setState({ phase: 'choosing', isCancelled: true })
    },
  }
}
