import { useNotification } from '@refinedev/core'
import type { Language } from '@/i18n/language'
import type { CellValue } from '@/resource/fields/file-values'
import { csvWriter } from '@/resource/tools/export/csv'
import { blobSink, type ExportFormat, fileName, saveBlob } from '@/resource/tools/export/export-file'
import { xlsxWriter } from '@/resource/tools/export/xlsx'
import { useErrorText } from '@/resource/use-error-text'

interface List {
  name: string
  titles: readonly string[]
  rows: readonly CellValue[][]
  format: ExportFormat
  language: Language
}

async function saveList({ name, titles, rows, format, language }: List): Promise<void> {
  const { write, finish } = blobSink(format)
  const writer =
    format === 'csv' ? csvWriter(titles, language, write) : xlsxWriter(titles, { language, name, write })
  for (const row of rows) writer.add(row)
  await writer.end()
  saveBlob(await finish(), fileName(name, format, new Date()))
}

/** Saves a small table as a file, written as exports are; what goes wrong is said. */
export function useSaveList(): (list: List) => void {
  const { open } = useNotification()
  const errorText = useErrorText()
  return (list) => {
    saveList(list).catch((error: unknown) => open?.({ type: 'error', message: errorText(error) }))
  }
}
