import { type BaseRecord, type HttpError, useDeleteMany, useNotification } from '@refinedev/core'
import { Modal } from 'antd'
import { useTranslation } from 'react-i18next'
import { GoneError, LinkError, toDataError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { formatConjunction } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { targetOf } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import { tableOf } from '@/resource/language/naming'
import { resourceEntries } from '@/resource/language/registry'
import { useResourceLabels, useWords } from '@/resource/language/words'
import { recordTitle } from '@/resource/request/query/title'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { useRefresh } from '@/resource/request/query/use-write'
import { HeldText, useHolders } from '@/resource/screens/actions/holders'
import { useTrash } from '@/resource/screens/trash/use-trash'
import { useErrorText } from '@/resource/use-error-text'
import { LoadingState } from '@/ui/loading-state'
import { PlainButton } from '@/ui/plain-button'
import { useToast } from '@/ui/toast'

/** The resources whose records are deleted with a record of this one. */
function deletedWith(definition: Definition): string[] {
  return resourceEntries().flatMap((entry) => {
    const fields = Object.values(entry.definition?.fields ?? {})
    const goes = fields.some(
      (field) => 'on_delete' in field && field.on_delete === 'cascade' && targetOf(field) === definition.name,
    )
    return goes ? [entry.name] : []
  })
}

/** The table whose rows refer to the record. PostgreSQL names it last in the message. */
function holderOf(error: unknown): string | undefined {
  if (!(error instanceof LinkError)) return undefined
  return /^update or delete on table .* on table "([^"]+)"/.exec(error.message)?.[1]
}

/** Warns that a deletion is final, and lists the resources that it cascades to; or says how long the trash keeps it. */
export function DeletionText({ definition, count = 1 }: { definition: Definition; count?: number }) {
  const { t } = useTranslation('engine')
  const { t: trash } = useTranslation('trash')
  const words = useWords(definition)
  const labels = useResourceLabels()
  const list = new Intl.ListFormat(useLanguage())
  if (definition.trash) return <p>{trash('deleteText', { count })}</p>
  const taken = deletedWith(definition).map((name) => labels(name).many)
  return (
    <>
      {taken.length > 0 ? <p>{t('action.deletedWith', { names: list.format(taken) })}</p> : null}
      <p>{words.text('deleteText') ?? t('action.deleteText')}</p>
    </>
  )
}

/** More names than a question can be read with. */
const MAX_NAMED = 3

/** The records of a question by name, where they are few. */
export function DeletedNames({ definition, rows }: { definition: Definition; rows: readonly Row[] }) {
  const language = useLanguage()
  if (rows.length === 0 || rows.length > MAX_NAMED) return null
  const titles = rows.map((row) => recordTitle(definition, row))
  return (
    <p>
      <strong>{formatConjunction(titles, language)}</strong>
    </p>
  )
}

/** Why a deletion failed. Names the resource that still refers to the record. */
export function useDeletionError(): (error: unknown) => string {
  const { t } = useTranslation('engine')
  const { t: trash } = useTranslation('trash')
  const labels = useResourceLabels()
  const errorText = useErrorText()
  return (error) => {
    const table = holderOf(error)
    const holder = resourceEntries().find(
      ({ definition }) => definition && table !== undefined && tableOf(definition) === table,
    )
    if (!holder) return errorText(error)
    const names = labels(holder.name).many
    // A record in the trash holds it as well, and the user does not see that one.
    return holder.definition?.trash ? trash('held', { names }) : t('action.heldBy', { names })
  }
}

/** @throws DataError when none was deleted */
function deletedOf(outcomes: readonly Row[]): Row[] {
  const deleted = outcomes.filter(({ outcome }) => outcome === 'deleted')
  if (deleted.length > 0) return deleted
  const refused = outcomes.find(({ outcome }) => outcome === 'refused')
  throw refused ? toDataError(refused.reason) : new GoneError('No row was deleted')
}

function useDeleteRecords(definition: Definition, scope: ResourceScope, isPageOfRecord: boolean) {
  const refresh = useRefresh(definition)
  const { mutateAsync, mutation } = useDeleteMany<BaseRecord, HttpError>()
  return {
    isPending: mutation.isPending,
    /** Returns the deleted rows, or those that went to the trash, which may be fewer than requested. @throws DataError */
    remove: async (ids: readonly string[]): Promise<Row[]> => {
      try {
        const { data } = await mutateAsync({
          resource: definition.name,
          ids: [...ids],
          meta: {
            table: tableOf(definition),
            companyId: definition.tenant === false ? null : scope.companyId,
            // A deletion that keeps the row returns nothing.
            ...(definition.trash ? { batch: { name: 'bulk_delete', args: {} } } : {}),
          },
          invalidates: [],
          successNotification: false,
          errorNotification: false,
        })
        return definition.trash ? deletedOf(data as Row[]) : (data as Row[])
      } finally {
        // A page that is about to be left asks nothing about a record that is gone.
        await refresh({ isShownKept: isPageOfRecord })
      }
    },
  }
}

interface DeleteDialogProps {
  definition: Definition
  scope: ResourceScope
  rows: readonly Row[]
  /** Whether the dialog is on the page of the record, which is left once the record is deleted. */
  isPageOfRecord?: boolean
  onClose: () => void
  onDone: () => void
}

export function DeleteDialog({
  definition,
  scope,
  rows,
  isPageOfRecord = false,
  onClose,
  onDone,
}: DeleteDialogProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const { open } = useNotification()
  const errorText = useDeletionError()
  const { remove, isPending } = useDeleteRecords(definition, scope, isPageOfRecord)
  const { t: trash } = useTranslation('trash')
  const { show } = useToast()
  const { restore } = useTrash(definition)
  const ids = rows.map((row) => String(row.id))
  const { held, isPending: isPendingHolders } = useHolders(definition, ids, scope)
  const first = rows[0]
  const values = {
    count: rows.length,
    name: words.many,
    title: first ? recordTitle(definition, first) : '',
  }
  const handleOk = async () => {
    try {
      const gone = await remove(ids)
      const partly = gone.length < rows.length
      const goneIds = new Set(gone.map(({ id }) => String(id)))
      if (definition.trash && !partly)
        show({
          type: 'success',
          title: trash('moved', { ...values, count: gone.length }),
          description: (
            <PlainButton
              size="small"
              onClick={() => void restore(rows.filter(({ id }) => goneIds.has(String(id))))}
            >
              {trash('undo')}
            </PlainButton>
          ),
        })
      else
        open?.({
          type: partly ? 'error' : 'success',
          message: t('action.deleted', { ...values, count: gone.length }),
          ...(partly ? { description: t('action.partly', { done: gone.length, count: rows.length }) } : {}),
        })
      onDone()
    } catch (error) {
      open?.({
        type: 'error',
        message: t('action.failed', { action: t('action.delete') }),
        description: errorText(error),
      })
    }
  }
  return (
    <Modal
      open
      title={t('action.deleteTitle', values)}
      okText={t('action.delete')}
      cancelText={t('action.cancel')}
      okButtonProps={{ danger: true, disabled: isPendingHolders || held.length > 0 }}
      confirmLoading={isPending}
      onOk={handleOk}
      onCancel={onClose}
    >
      {rows.length > 1 ? <DeletedNames definition={definition} rows={rows} /> : null}
      {isPendingHolders ? (
        <LoadingState rows={2} />
      ) : held.length > 0 ? (
        <HeldText held={held} ids={ids} onFollow={onClose} />
      ) : (
        <DeletionText definition={definition} count={rows.length} />
      )}
    </Modal>
  )
}
