import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { supabase } from '@/data/client'
import { ConflictError, type DataError } from '@/data/errors'
import { deleteRows, insertRow, type Row, updateRow } from '@/data/rows'
import type { SavedView, ViewScope } from '@/resource/preferences/list-settings'
import { SETTINGS_KEY } from '@/resource/preferences/settings-query'
import { useErrorText } from '@/resource/use-error-text'
import { useNotify } from '@/ui/notify'

/** Who finds a view: a role and the company are named only where they apply, as the table demands. */
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

/** Writes that say themselves how they went; null where they failed. */
export function useViewWrites() {
  const { t } = useTranslation('views')
  const client = useQueryClient()
  const notify = useNotify()
  const errorText = useErrorText()
  const { mutateAsync, isPending } = useMutation<Row, DataError, () => Promise<Row>>({
    mutationFn: (write) => write(),
    // Also after a failure: what stands there now may be somebody else's.
    onSettled: () => client.invalidateQueries({ queryKey: SETTINGS_KEY }),
  })
  const run = async (write: () => Promise<Row>, title: (row: Row) => string): Promise<Row | null> => {
    try {
      const row = await mutateAsync(write)
      notify({ type: 'success', title: title(row) })
      return row
    } catch (error) {
      const description = error instanceof ConflictError ? t('conflict') : errorText(error)
      notify({ type: 'error', title: t('failed'), description })
      return null
    }
  }
  const saved = (row: Row) => t('saved', { name: String(row.name) })
  return {
    isPending,
    create: (values: ViewValues) => run(() => insertRow(supabase, TABLE, { ...values }), saved),
    update: ({ id, version }: SavedView, values: ViewValues) =>
      run(() => updateRow(supabase, { table: TABLE, companyId: null, id }, { ...values }, version), saved),
    remove: ({ id, name }: SavedView) =>
      run(
        async () => (await deleteRows(supabase, { table: TABLE, companyId: null, ids: [id] }))[0] ?? {},
        () => t('deleted', { name }),
      ),
  }
}
