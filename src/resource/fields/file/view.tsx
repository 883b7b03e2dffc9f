import { Suspense } from 'react'
import { Blank } from '@/resource/fields/cell-parts'
import type { CellProps } from '@/resource/fields/kind-interface'
import { relatedRow } from '@/resource/request/query/values'
import { lazyPart } from '@/ui/load-chunk'

const FileView = lazyPart(() =>
  import('@/resource/fields/file/file-view').then((module) => ({ default: module.FileView })),
)

function FileCell({ value, name, row, dense }: CellProps<'file' | 'image'>) {
  if (typeof value !== 'string' || value === '') return <Blank />
  const file = relatedRow(row, name)
  return (
    <Suspense fallback={<span>{String(file?.name ?? '')}</span>}>
      <FileView file={file} dense={dense} />
    </Suspense>
  )
}

export const cells = { file: FileCell, image: FileCell }
