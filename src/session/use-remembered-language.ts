import { useEffect } from 'react'
import { callRpc } from '@/data/rpc'
import { useLanguage } from '@/i18n/use-language'

const STORAGE_KEY = 'konsol-mail-language'
/** Not while the first page loads. */
const DELAY_MS = 3_000

/** Tells the server in which language this person reads, so that mails come in it; once for each browser and change. */
export function useRememberedLanguage(userId: string | null): void {
  const language = useLanguage()
  useEffect(() => {
    if (userId === null) return
    const wanted = `${userId} ${language}`
    try {
      if (window.localStorage.getItem(STORAGE_KEY) === wanted) return
    } catch {
      // Storage can be forbidden: it is told once a page load then.
    }
    const timer = setTimeout(() => {
      callRpc('remember_language', { language }).then(
        () => {
          try {
            window.localStorage.setItem(STORAGE_KEY, wanted)
          } catch {
            // Storage is forbidden.
          }
        },
        // It is told again at the next load; mails come in all languages until then.
        () => undefined,
      )
    }, DELAY_MS)
    return () => clearTimeout(timer)
  }, [userId, language])
}
