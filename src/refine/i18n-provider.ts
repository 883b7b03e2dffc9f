import type { I18nProvider } from '@refinedev/core'
import i18next from 'i18next'
import { setLanguage } from '@/i18n'
import { asLanguage } from '@/i18n/language'

/**
 * Words for Refine's own texts (`locales/<language>/refine.json`). The console's screens use `useTranslation` with typed
 * keys. Refine calls with `(key, options, default)` and with `(key, default)`.
 */
export const i18nProvider: I18nProvider = {
  translate: (key, options, defaultMessage) => {
    const values = typeof options === 'object' && options !== null ? (options as Record<string, unknown>) : {}
    const fallback = typeof options === 'string' ? options : defaultMessage
    const translate = i18next.t as (key: string, values: Record<string, unknown>) => string
    return translate(key, { ...values, ns: 'refine', defaultValue: fallback ?? key })
  },
  changeLocale: (language) => setLanguage(asLanguage(language)),
  getLocale: () => i18next.language,
}
