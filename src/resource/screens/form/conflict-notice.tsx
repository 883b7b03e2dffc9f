import { CanAccess } from '@refinedev/core'
import { Alert, Button, Space } from 'antd'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import type { Definition } from '@/resource/language/definition.generated'
import { useActivity } from '@/resource/request/query/use-record-query'
import { changedFields } from '@/resource/screens/form/form-values'
import type { MergeProps } from '@/resource/screens/form/merge-dialog'
import { lazyPart } from '@/ui/load-chunk'

const MergeDialog = lazyPart(() =>
  import('@/resource/screens/form/merge-dialog').then((module) => ({ default: module.MergeDialog })),
)

interface ConflictNoticeProps extends MergeProps {
  id: string
  onTakeTheirs: () => void
  onKeepMine: () => void
  /** Whether the comparison is open: by the user, or because of a save with a lost lock. */
  isComparing: boolean
  onCompare: () => void
}

/** Somebody else saved the record first. The edits are kept until the user decides. */
export function ConflictNotice(props: ConflictNoticeProps) {
  const { id, onTakeTheirs, onKeepMine, isComparing, onCompare, ...merge } = props
  const { definition, words, base, theirs } = merge
  const { t } = useTranslation('engine')
  const fields = changedFields(definition, base, theirs).map(words.field)
  return (
    <>
      <Alert
        className="k-form-notice"
        type="info"
        showIcon
        role="status"
        title={t('form.conflictTitle')}
        description={
          <>
            <CanAccess resource="audit_log" action="list">
              <ChangedBy definition={definition} id={id} />
            </CanAccess>
            <p>{t('form.conflictText')}</p>
            {fields.length > 0 ? <p>{t('form.conflictFields', { fields: fields.join(', ') })}</p> : null}
            <Space wrap>
              <Button type="primary" disabled={false} onClick={onCompare}>
                {t('merge.compare')}
              </Button>
              <Button disabled={false} onClick={onTakeTheirs}>
                {t('form.takeTheirs')}
              </Button>
              <Button disabled={false} onClick={onKeepMine}>
                {t('form.keepMine')}
              </Button>
            </Space>
          </>
        }
      />
      {isComparing ? (
        <Suspense fallback={null}>
          <MergeDialog {...merge} />
        </Suspense>
      ) : null}
    </>
  )
}

/** The author of the change, for users who may read the audit log, on audited tables. */
function ChangedBy({ definition, id }: { definition: Definition; id: string }) {
  const { t } = useTranslation('engine')
  const { data } = useActivity(definition, id)
  const latest = data?.find(({ action }) => action === 'edit')
  if (!latest) return null
  return <p>{t('merge.by', { who: latest.author?.name ?? t('activity.system') })}</p>
}
