import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatRelative } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useRpc } from '@/refine/use-rpc'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { recordTitle, titleFields } from '@/resource/request/query/title'
import { daysLeft, type Trashed, useTrash } from '@/resource/screens/trash/use-trash'
import { EmptyState } from '@/ui/empty-state'
import { LoadingState } from '@/ui/loading-state'

interface TrashedRecordProps {
  definition: Definition
  id: string
  /** Shown for a record that is not in the trash. */
  children: ReactNode
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The address of a deleted record, for those who may restore it. */
export function TrashedRecord({ definition, id, children }: TrashedRecordProps) {
  const { t } = useTranslation('trash')
  const language = useLanguage()
  const trash = useTrash(definition)
  const query = useRpc<Trashed[]>(
    {
      name: 'trash',
      resource: definition.name,
      args: { resource: tableOf(definition), fields: titleFields(definition), ids: [id], max_rows: 1 },
    },
    { enabled: UUID.test(id), retry: false },
  )
  if (query.isLoading) return <LoadingState rows={3} />
  const found = query.data?.[0]
  if (!found) return children
  const row = { ...found.record, id: found.id }
  const when = formatRelative(found.deleted_at, Date.now(), language)
  const days = t('day', { count: daysLeft(found.ends_at) })
  return (
    <EmptyState
      icon={<DeleteOutlined aria-hidden="true" />}
      title={t('isIn', { title: recordTitle(definition, row) })}
      text={
        found.deleted_name
          ? t('isInText', { who: found.deleted_name, when, days })
          : t('isInTextUnknown', { when, days })
      }
      action={
        <Button type="primary" onClick={() => void trash.restore([row])}>
          {t('restore')}
        </Button>
      }
    />
  )
}
