import { useMutation, useQueryClient } from '@tanstack/react-query'
import { supabase } from '@/data/client'
import type { DataError } from '@/data/errors'
import { answer, type Query } from '@/data/request'
import { type ListPreference, type ListSettings, preferenceOf } from '@/resource/preferences/list-settings'
import { SETTINGS_KEY } from '@/resource/preferences/settings-query'
import { useErrorText } from '@/resource/use-error-text'
import { useNotify } from '@/ui/notify'

type Change = Partial<Omit<ListPreference, 'resource'>>

/** Keeps how somebody likes a list. Shown at once; the server follows, in the order of the changes. */
export function useSavePreference(resource: string): (change: Change) => void {
  const client = useQueryClient()
  const notify = useNotify()
  const errorText = useErrorText()
  const { mutate } = useMutation<unknown, DataError, Change>({
    scope: { id: 'list-preferences' },
    // What was changed and no more: before the settings are read, what else is kept there is not known.
    mutationFn: (change) =>
      answer(
        supabase
          .from('list_preferences')
          .upsert({ resource, ...change }, { onConflict: 'user_id,resource' })
          .select('resource') as unknown as Query,
      ),
    onError: (error) => {
      notify({ type: 'error', title: errorText(error) })
      void client.invalidateQueries({ queryKey: SETTINGS_KEY })
    },
  })
  return (change) => {
    const settings = client.getQueryData<ListSettings>(SETTINGS_KEY)
    // Without settings there is nothing to change yet: what is on its way must not be taken for complete.
    if (settings) {
      const before = preferenceOf(settings, resource) ?? { resource, columns: null, density: 'comfortable' }
      client.setQueryData<ListSettings>(SETTINGS_KEY, {
        ...settings,
        preferences: [
          ...settings.preferences.filter((each) => each.resource !== resource),
          { ...before, ...change },
        ],
      })
    }
    mutate(change, {
      onSuccess: async () => {
        if (settings) return
        // An answer still on its way may be older than what was just kept.
        await client.cancelQueries({ queryKey: SETTINGS_KEY })
        await client.invalidateQueries({ queryKey: SETTINGS_KEY })
      },
    })
  }
}
