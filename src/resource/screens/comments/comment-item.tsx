import { useDataProvider } from '@refinedev/core'
import { Button } from 'antd'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { FileChips } from '@/resource/fields/file/file-chips'
import { MarkdownText } from '@/resource/fields/markdown/view'
import type { CommentFile } from '@/resource/screens/comments/comment-files'
import { CommentText, usePeopleMenu } from '@/resource/screens/comments/comment-text'
import { fromMarkdown, toMarkdown } from '@/resource/screens/comments/mention-text'
import type { Comment } from '@/resource/screens/comments/use-thread'
import { useErrorText } from '@/resource/use-error-text'
import { ConfirmButton } from '@/ui/confirm-button'
import { PartLoading } from '@/ui/loading-state'
import { RelativeTime } from '@/ui/relative-time'

/** As the database holds it: afterwards only whoever may delete such records removes a comment. */
const OPEN_MS = 15 * 60_000

/** Whether the author may still edit; false by itself once the time is over. */
function useIsOpen(createdAt: string): boolean {
  const left = Date.parse(createdAt) + OPEN_MS - Date.now()
  const [isOpen, setOpen] = useState(left > 0)
  useEffect(() => {
    if (left <= 0) return setOpen(false)
    const timer = window.setTimeout(() => setOpen(false), left)
    return () => window.clearTimeout(timer)
  }, [left])
  return isOpen
}

interface CommentItemProps {
  comment: Comment
  resource: string
  recordId: string
  table: string
  kind: { label: string; color: string | null; isUsual: boolean }
  /** The names of today of those whom comments mention. */
  names: ReadonlyMap<string, string>
  isOwn: boolean
  mayWrite: boolean
  /** Whether the record still takes such comments: afterwards they are neither edited nor deleted by their author. */
  isTaken: boolean
  mayDeleteAll: boolean
  isLinked: boolean
  files: readonly CommentFile[]
  /** Actions of the record on this comment. */
  actions: readonly { key: string; label: string; run: () => void }[]
  onChanged: (row: Comment) => void
  onDeleted: () => void
}

export function CommentItem({
  comment,
  resource,
  recordId,
  table,
  kind,
  names,
  isOwn,
  mayWrite,
  isTaken,
  mayDeleteAll,
  isLinked,
  files,
  actions,
  onChanged,
  onDeleted,
}: CommentItemProps) {
  const { t } = useTranslation('comments')
  const language = useLanguage()
  const provider = useDataProvider()
  const errorText = useErrorText()
  const isOpen = useIsOpen(comment.created_at)
  const [isEditing, setEditing] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const element = useRef<HTMLLIElement>(null)
  const author = comment.author_name ?? t(comment.origin ? 'noAuthor' : 'nobody')
  useEffect(() => {
    if (isLinked) element.current?.scrollIntoView({ block: 'center' })
  }, [isLinked])

  const mayChange = isOwn && isOpen && mayWrite && isTaken
  const remove = async () => {
    setProblem(null)
    try {
      await provider().deleteOne({ resource: table, id: comment.id, variables: {} })
      onDeleted()
    } catch (error) {
      setProblem(errorText(error))
    }
  }
  return (
    <li
      ref={element}
      id={`comment-${comment.id}`}
      className="k-comment"
      data-color={kind.color ?? undefined}
      data-own={isOwn}
      data-linked={isLinked}
    >
      <header>
        <strong>{author}</strong>
        {kind.isUsual ? null : <span className="k-comment-kind">{kind.label}</span>}
        <span className="k-soft">
          <RelativeTime value={comment.created_at} />
        </span>
        {comment.edited_at ? (
          <span className="k-soft" title={formatDateTime(comment.edited_at, language)}>
            {t('edited')}
          </span>
        ) : null}
        <span className="k-comment-tools">
          {actions.map(({ key, label, run }) => (
            <Button key={key} size="small" type="text" onClick={run}>
              {label}
            </Button>
          ))}
          {mayChange && !isEditing && !comment.origin ? (
            <Button size="small" type="text" onClick={() => setEditing(true)}>
              {t('edit')}
            </Button>
          ) : null}
          {mayChange || mayDeleteAll ? (
            <ConfirmButton
              size="small"
              type="text"
              danger
              title={t('delete.title')}
              text={t('delete.text')}
              okText={t('delete.ok')}
              onConfirm={remove}
            >
              {t('delete.button')}
            </ConfirmButton>
          ) : null}
        </span>
      </header>
      {comment.origin ? <p className="k-comment-origin">{t('origin', { title: comment.origin })}</p> : null}
      {isEditing ? (
        <CommentEdit
          {...{ comment, resource, recordId, table, names }}
          onClose={() => setEditing(false)}
          onChanged={onChanged}
        />
      ) : (
        <CommentBody comment={comment} names={names} />
      )}
      {files.length > 0 ? <FileChips files={files} /> : null}
      {problem ? (
        <p className="k-comment-problem" role="alert">
          {problem}
        </p>
      ) : null}
    </li>
  )
}

/** The text as elements. A mention shows the name of today; one of somebody who may not read it is a plain word. */
function CommentBody({ comment, names }: { comment: Comment; names: ReadonlyMap<string, string> }) {
  const mentions = useMemo(
    () => new Map(comment.mentions.map((id) => [id, names.get(id) ?? null])),
    [comment.mentions, names],
  )
  return (
    <Suspense fallback={<PartLoading rows={1} />}>
      <MarkdownText text={comment.body} mentions={mentions} />
    </Suspense>
  )
}

interface CommentEditProps {
  comment: Comment
  resource: string
  recordId: string
  table: string
  names: ReadonlyMap<string, string>
  onClose: () => void
  onChanged: (row: Comment) => void
}

function CommentEdit({ comment, resource, recordId, table, names, onClose, onChanged }: CommentEditProps) {
  const { t } = useTranslation('comments')
  const provider = useDataProvider()
  const errorText = useErrorText()
  const people = usePeopleMenu(resource, recordId, comment.kind)
  const menus = useMemo(() => [people], [people])
  const [draft, setDraft] = useState(() => fromMarkdown(comment.body, names))
  const [problem, setProblem] = useState<string | null>(null)
  const [isSaving, setSaving] = useState(false)
  const save = async () => {
    if (draft.text.trim() === '' || isSaving) return
    setSaving(true)
    setProblem(null)
    try {
      const { data } = await provider().update<Comment>({
        resource: table,
        id: comment.id,
        variables: { body: toMarkdown(draft.text, draft.picked).trim() },
        meta: { version: comment.version },
      })
      onChanged({ ...comment, ...data })
      onClose()
    } catch (error) {
      setProblem(t('problem.failed', { reason: errorText(error) }))
      setSaving(false)
    }
  }
  return (
    <form
      className="k-comment-edit"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <CommentText
        draft={draft}
        label={t('editLabel')}
        menus={menus}
        isDisabled={isSaving}
        hasFocus
        onChange={setDraft}
        onSend={() => void save()}
      />
      {problem ? (
        <p className="k-comment-problem" role="alert">
          {problem}
        </p>
      ) : null}
      <div className="k-comment-send">
        <Button htmlType="submit" type="primary" size="small" loading={isSaving}>
          {t('save')}
        </Button>
        <Button size="small" onClick={onClose}>
          {t('cancel')}
        </Button>
      </div>
    </form>
  )
}
