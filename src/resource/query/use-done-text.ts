import { useTranslation } from 'react-i18next'
import type { ResourceWords } from '@/resource/definition/words'

/** The toast's text for an action: the resource's own words, or the action's name and how many records. */
export function useDoneText(words: ResourceWords): (action: string, count: number) => string {
  const { t } = useTranslation('engine')
  return (action, count) =>
    words.done(action, count) ??
    t('action.done', { action: words.action(action), things: words.counted(count) })
}
