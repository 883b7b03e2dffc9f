import { Input } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Comments } from '@/resource/language/comments'
import { draftKey, readDraft } from '@/resource/screens/comments/drafts'
import { useSession } from '@/session/use-session'
import '@/resource/screens/comments/comments.css'

interface KeptDraftsProps {
  comments: Comments
  recordId: string
}

/** Shows the text that was being written on a record that is gone now, so that it can be copied. */
export function KeptDrafts({ comments, recordId }: KeptDraftsProps) {
  const { t } = useTranslation('comments')
  const { user } = useSession()
  const texts = Object.keys(comments.kinds)
    .map((kind) => readDraft(draftKey(user?.id ?? '', comments.table, recordId, kind)).text)
    .filter((text) => text.trim() !== '')
  if (texts.length === 0) return null
  return (
    <section className="k-thread" aria-label={t('title')}>
      <p className="k-comment-problem" role="alert">
        {t('problem.gone')}
      </p>
      {texts.map((text) => (
        <Input.TextArea key={text} readOnly autoSize value={text} aria-label={t('box.label')} />
      ))}
    </section>
  )
}
