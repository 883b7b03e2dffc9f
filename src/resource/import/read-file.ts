import { FileProblem } from '@/resource/import/file-problem'
import { type FileTable, MAX_BYTES, type ReadOptions } from '@/resource/import/file-table'
import type { ReadAnswer, ReadRequest } from '@/resource/import/read.worker'

/** Reads a file beside the page, which stays quick to answer meanwhile. Rejects with a FileProblem. */
export async function readFile(file: File, options: ReadOptions = {}): Promise<FileTable> {
  // Before its bytes are fetched: what is too large is not even read.
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
