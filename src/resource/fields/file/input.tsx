import { type BaseRecord, type HttpError, useList } from '@refinedev/core'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { FILE_COLUMNS, type FileRow } from '@/data/files'
import { useRpc } from '@/refine/use-rpc'
import { DropArea } from '@/resource/fields/file/drop-area'
import { useFileSize } from '@/resource/fields/file/file-size'
import { FileView } from '@/resource/fields/file/file-view'
import { UploadList } from '@/resource/fields/file/upload-list'
import { useUploads } from '@/resource/fields/file/use-uploads'
import type { InputProps } from '@/resource/fields/kind-interface'
import { tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { useCompanyScope } from '@/session/use-company-scope'

interface Limits {
  max_bytes: number
  accept: string[] | null
}

/** The row of the file that the form holds, a draft too. */
function useFile(id: string | null) {
  const { query } = useList<FileRow & BaseRecord, HttpError>({
    resource: 'files',
    filters: [{ field: 'id', operator: 'eq', value: id }],
    pagination: { currentPage: 1, pageSize: 1 },
    meta: { companyId: null, select: FILE_COLUMNS, count: 'none' },
    queryOptions: { enabled: id !== null },
  })
  return query
}

/** Uploads a draft; the record that is saved with its key takes it over. */
export function Input(props: InputProps<'file' | 'image'>) {
  const { t } = useTranslation('files')
  const size = useFileSize()
  const { companyId } = useCompanyScope()
  const definition = findDefinition(props.resource)
  const resource = definition ? tableOf(definition) : props.resource
  const own = props.record.company_id
  const company = typeof own === 'string' ? own : companyId
  const value = typeof props.value === 'string' && props.value !== '' ? props.value : null
  const [draft, setDraft] = useState<FileRow | null>(null)
  const read = useFile(draft?.id === value ? null : value)
  const file = draft?.id === value ? draft : (read.data?.data[0] ?? null)
  const limits = useRpc<Limits | null>(
    { name: 'file_limits', args: { resource, field: props.name, company_id: company } },
    { enabled: company !== null },
  )
  const uploads = useUploads(
    { resource, companyId: company ?? '', recordId: null, field: props.name },
    (row) => {
      setDraft(row)
      props.onChange?.(row.id)
    },
  )
  const hints = [
    t('dropOne'),
    ...(limits.data ? [t('limit', { max: size(limits.data.max_bytes) })] : []),
    ...(limits.data?.accept
      ? [
          t('accepts', {
            families: limits.data.accept.map((each) => t(`families.${each}` as 'families.image')).join(', '),
          }),
        ]
      : []),
  ]
  return (
    <div className="l-stack">
      {value ? (
        <div className="k-file-value">
          <FileView file={file ? { ...file } : null} dense={false} />
          {props.disabled ? null : (
            <Button
              size="small"
              aria-label={t('removeNamed', { name: file?.name ?? '' })}
              onClick={() => props.onChange?.(null)}
            >
              {t('remove')}
            </Button>
          )}
        </div>
      ) : null}
      {props.disabled || value || uploads.uploads.length > 0 ? null : (
        <DropArea
          {...(props.id ? { id: props.id } : {})}
          isSingle
          isDisabled={company === null}
          {...(props.field.type === 'image' ? { accept: 'image/*' } : {})}
          hint={hints.join(' · ')}
          onFiles={uploads.add}
        />
      )}
      <UploadList uploads={uploads} />
    </div>
  )
}
