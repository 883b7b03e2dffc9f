import type { FileTable, ReadOptions } from '@/resource/tools/import/file-table'
import { FileProblem, type FileProblemKey } from '@/resource/tools/import/file-table'
import { readTable } from '@/resource/tools/import/read-table'

export interface ReadRequest {
  bytes: ArrayBuffer
  options: ReadOptions
}

export type ReadAnswer = { table: FileTable } | { problem: { key: FileProblemKey; count: number } }

async function answer({ bytes, options }: ReadRequest): Promise<ReadAnswer> {
  try {
    return { table: await readTable(new Uint8Array(bytes), options) }
  } catch (error) {
    // An error loses its class on the way; whatever else went wrong, the file was what it was about.
    const { key, count } = error instanceof FileProblem ? error : new FileProblem('broken')
    return { problem: { key, count } }
  }
}

self.onmessage = ({ data }: MessageEvent<ReadRequest>) => {
  void answer(data).then((result) => self.postMessage(result))
}
