import { type BaseRecord, type HttpError, useCreate } from '@refinedev/core'
import { useCache } from '@/refine/use-cache'
import { type ListPreference, type ListSettings, preferenceOf } from '@/resource/preferences/list-settings'
import { cachedSettings, SETTINGS } from '@/resource/preferences/settings-query'
import { useErrorText } from '@/resource/use-error-text'

type Change = Partial<Omit<ListPreference, 'resource'>>

/** Keeps how a user likes a list. It shows at once; the server follows, in the order of the changes. */
export function useSavePreference(resource: string): (change: Change) => void {
  const cache = useCache()
  const errorText = useErrorText()
  const { mutate } = useCreate<BaseRecord, HttpError, Change & { resource: string }>({
    resource: 'list_preferences',
    meta: { onConflict: 'user_id,resource', select: 'resource' },
    invalidates: [],
    successNotification: false,
    errorNotification: (error) => ({ type: 'error', message: errorText(error) }),
    mutationOptions: { scope: { id: 'list-preferences' } },
  })
  return (change) => {
    const settings = cachedSettings(cache)
    // Without settings there is nothing to change yet: what is on its way must not be taken for complete.
    if (settings) {
      const before = preferenceOf(settings, resource) ?? { resource, columns: null, density: 'comfortable' }
      cache.writeRpc<ListSettings>(SETTINGS, {
        ...settings,
        preferences: [
          ...settings.preferences.filter((each) => each.resource !== resource),
          { ...before, ...change },
        ],
      })
    }
    // The change and no more: before the settings are read, what else is kept there is not known.
    mutate(
      { values: { resource, ...change } },
      {
        onSuccess: () => (settings ? undefined : cache.rereadRpc(SETTINGS)),
        onError: () => cache.rereadRpc(SETTINGS),
      },
    )
  }
}
