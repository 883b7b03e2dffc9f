import { useRef, useState } from 'react'
import { FileProblem, type FileTable, MAX_BYTES, type ReadOptions } from '@/resource/tools/import/file-table'
import type { ReadAnswer, ReadRequest } from '@/resource/tools/import/read.worker'

/** Reads a file beside the page, which stays responsive. Rejects with a FileProblem. */
async function readFile(file: File, options: ReadOptions = {}): Promise<FileTable> {
  // The size is checked before the bytes are read.
  if (file.size > MAX_BYTES) throw new FileProblem('tooBig', file.size)
  const bytes = await file.arrayBuffer().catch(() => {
    throw new FileProblem('broken')
  })
  const worker = new Worker(new URL('./read.worker.ts', import.meta.url), { type: 'module' })
  try {
    const answer = await new Promise<ReadAnswer>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<ReadAnswer>) => resolve(data)
      worker.onerror = () => reject(new FileProblem('broken'))
      worker.postMessage({ bytes, options } satisfies ReadRequest, [bytes])
    })
    if ('problem' in answer) throw new FileProblem(answer.problem.key, answer.problem.count)
    return answer.table
  } finally {
    worker.terminate()
  }
}

export interface ImportFile {
  file: File | null
  /**
   * The table that was read last; it stays while the file is read another way, so that the way can be changed again.
   */
  table: FileTable | null
  problem: FileProblem | null
  isReading: boolean
  choose: (file: File) => void
  /** The same file, read in another way. */
  reread: (options: ReadOptions) => void
}

type State = Pick<ImportFile, 'file' | 'table' | 'problem' | 'isReading'>

/** The chosen file and its contents. */
export function useImportFile(prepare: () => Promise<void>, onTable: (table: FileTable) => void): ImportFile {
  const [state, setState] = useState<State>({ file: null, table: null, problem: null, isReading: false })
  const turn = useRef(0)
  const read = async (file: File, options: ReadOptions, before: FileTable | null) => {
    turn.current++
    const mine = turn.current
    setState({ file, table: before, problem: null, isReading: true })
    try {
      const [table] = await Promise.all([readFile(file, options), prepare()])
      if (mine !== turn.current) return
      setState({ file, table, problem: null, isReading: false })
      onTable(table)
    } catch (error) {
      if (mine !== turn.current) return
      const problem = error instanceof FileProblem ? error : new FileProblem('broken')
      setState({ file, table: before, problem, isReading: false })
    }
  }
  return {
    ...state,
    choose: (file) => void read(file, {}, null),
    reread: (options) => {
      if (!state.file) return
      const { text, book } = state.table ?? {}
      // Read another way, the file has other rows, and maybe fewer. Another encoding may have other separators: so they are detected again.
      const kept = options.encoding ? {} : { ...text }
      void read(state.file, { ...kept, ...(book ? { sheet: book.sheet } : {}), ...options }, state.table)
    },
  }
}
