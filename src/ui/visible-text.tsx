import { useTranslation } from 'react-i18next'
import { codePointName, textParts } from '@/ui/hidden-characters'
import '@/ui/visible-text.css'

/** Text of somebody else's, with hidden characters and long runs of blanks as marks that can be seen. */
export function VisibleText({ text }: { text: string }) {
  const { t } = useTranslation('common')
  return textParts(text).map((part, index) => {
    if (part.kind === 'text') return part.text
    return (
      <mark
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
        key={index}
        className="k-hidden-character"
        title={t(part.kind === 'hidden' ? 'hidden.character' : 'hidden.blanks')}
      >
        {part.kind === 'hidden' ? codePointName(part.text) : t('hidden.count', { count: part.count })}
      </mark>
    )
  })
}
