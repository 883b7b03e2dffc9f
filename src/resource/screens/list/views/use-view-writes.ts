import { type BaseRecord, useCreate, useDelete, useNotification, useUpdate } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import { ConflictError, DuplicateError } from '@/data/errors'
import { useCache } from '@/refine/use-cache'
import { type SavedView, SETTINGS, type ViewScope } from '@/resource/request/query/saved-views'
import { useErrorText } from '@/resource/use-error-text'

/** The audience of a view: a role and the company are named only where they apply, as the table demands. */
export interface Sharing {
  scope: ViewScope
  role: string | null
  company_id: string | null
}

interface ViewValues extends Partial<Sharing> {
  resource?: string
  name?: string
  state?: { query: string }
  is_default?: boolean
}

const TABLE = 'saved_views'

const QUIET = {
  resource: TABLE,
  invalidates: [],
  successNotification: false,
  errorNotification: false,
} satisfies Parameters<typeof useUpdate>[0]

/** Writes that say themselves how they went; null where they failed. */
export function useViewWrites() {
  const { t } = useTranslation('views')
  const cache = useCache()
  const { open } = useNotification()
  const errorText = useErrorText()
  const create = useCreate(QUIET)
  const update = useUpdate(QUIET)
  const remove = useDelete()
  const run = async (
    write: () => Promise<{ data: BaseRecord }>,
    title: (row: BaseRecord) => string,
  ): Promise<BaseRecord | null> => {
    try {
      const { data } = await write()
      open?.({ type: 'success', message: title(data) })
      return data
    } catch (error) {
      const description =
        error instanceof ConflictError
          ? t('conflict')
          : error instanceof DuplicateError
            ? t('nameTaken')
            : errorText(error)
      open?.({ type: 'error', message: t('failed'), description })
      return null
    } finally {
      // The views are reread after a failure too: somebody else may have changed the view.
      void cache.rereadRpc(SETTINGS)
    }
  }
  const saved = (row: BaseRecord) => t('saved', { name: String(row.name) })
  return {
    isPending: create.mutation.isPending || update.mutation.isPending || remove.mutation.isPending,
    create: (values: ViewValues) => run(() => create.mutateAsync({ values }), saved),
    update: ({ id, version }: SavedView, values: ViewValues) =>
      run(() => update.mutateAsync({ id, values, meta: { version } }), saved),
    remove: ({ id, name }: SavedView) =>
      run(
        () => remove.mutateAsync({ ...QUIET, id }),
        () => t('deleted', { name }),
      ),
  }
}
