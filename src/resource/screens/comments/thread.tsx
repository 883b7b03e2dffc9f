import { Button } from 'antd'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { useCan } from '@/access/use-can'
import { DeniedError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { useCache } from '@/refine/use-cache'
import { useRpc } from '@/refine/use-rpc'
import type { Comments } from '@/resource/language/comments'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { actionsOn, isOffered as isActionOffered, type NamedAction } from '@/resource/request/filter/actions'
import { compareKinds, matches } from '@/resource/request/filter/predicate'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { useActionRunner } from '@/resource/screens/actions/use-action-runner'
import { CommentBox } from '@/resource/screens/comments/comment-box'
import { type CommentFile, useCommentFiles } from '@/resource/screens/comments/comment-files'
import { CommentItem } from '@/resource/screens/comments/comment-item'
import { draftKey, readDraft } from '@/resource/screens/comments/drafts'
import { type Present, usePresence } from '@/resource/screens/comments/use-presence'
import { type Comment, TopicEar, useThread, useTopics } from '@/resource/screens/comments/use-thread'
import { useErrorText } from '@/resource/use-error-text'
import { useSession } from '@/session/use-session'
import { DeniedState } from '@/ui/denied-state'
import { ErrorState } from '@/ui/error-state'
import { PartLoading } from '@/ui/loading-state'
import '@/resource/screens/comments/comments.css'

const NO_FILES: readonly CommentFile[] = []
const NO_ACTIONS: CommentAction[] = []

interface CommentAction {
  key: string
  label: string
  run: () => void
}

interface ThreadProps {
  definition: Definition
  comments: Comments
  record: Row
}

/** The conversation on a record: its comments, who else is there, and the box for the next one. */
export function Thread({ definition, comments, record }: ThreadProps) {
  const { t } = useTranslation('comments')
  const words = useWords(definition)
  const can = useCan()
  const errorText = useErrorText()
  const { user } = useSession()
  const id = String(record.id)
  const companyId = typeof record.company_id === 'string' ? record.company_id : null
  const [arrived, setArrived] = useState<readonly string[]>([])
  const userId = user?.id ?? ''
  const isAtEnd = useRef(true)
  const thread = useThread(comments, { id, companyId }, (rows) => {
    const others = rows.filter(({ author_id }) => author_id !== userId).map((row) => row.id)
    if (others.length > 0 && !isAtEnd.current) setArrived((before) => [...before, ...others])
  })
  const topics = useTopics(definition.name, id, comments)
  const [writing, setWriting] = useState<string | null>(null)
  const cache = useCache()
  const self = useMemo(() => ({ id: userId, name: user?.name ?? '' }), [userId, user?.name])
  const present = usePresence(topics, self, writing)
  const files = useCommentFiles(definition.name, id)
  const names = useNames(definition.name, id, thread.comments ?? [])
  const linked = useLinked(thread.comments, thread.hasEarlier, thread.isLoadingEarlier, thread.showEarlier)
  const end = useRef<HTMLDivElement>(null)
  const isReady = thread.comments !== null
  useEffect(() => {
    const element = end.current
    if (!isReady || !element) return
    const observer = new IntersectionObserver(([entry]) => {
      isAtEnd.current = entry?.isIntersecting === true
      if (isAtEnd.current) setArrived([])
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [isReady])
  const jump = () => {
    const target = arrived[0] ? document.getElementById(`comment-${arrived[0]}`) : end.current
    target?.scrollIntoView({ block: 'center' })
    setArrived([])
  }
  const mayWrite = can(definition.name, 'comment').allowed
  const kindWords = useCallback(
    (name: string) =>
      words.text('comments', name) ??
      t(`kinds.${name as 'reply'}`, { defaultValue: words.value('kind', name) }),
    [words, t],
  )
  const usual = Object.keys(comments.kinds)[0]
  const holds = (when: Filter | null | undefined) =>
    !when || matches(when, record, {}, compareKinds(definition))
  const isOffered = holds(comments.offeredWhen)
  const writable = mayWrite
    ? Object.entries(comments.kinds).filter(
        ([, { object }]) => object === null || can(object, 'create').allowed,
      )
    : []
  const kinds = writable
    // A text that was begun before the record changed stays in sight.
    .filter(
      ([name, { when }]) =>
        (isOffered && holds(when)) || readDraft(draftKey(userId, comments.table, id, name)).text !== '',
    )
    .map(([name, { color, object }]) => ({
      name,
      color,
      label: kindWords(name),
      hint: object === null ? '' : t('box.restricted'),
    }))
  const closed = isOffered ? writable.filter(([, { when }]) => !holds(when)) : []
  const actionsOf = useCommentActions(definition, record)
  if (!thread.comments) {
    if (thread.error instanceof DeniedError) return <DeniedState text={errorText(thread.error)} />
    return thread.error ? (
      <ErrorState text={errorText(thread.error)} onRetry={thread.retry} />
    ) : (
      <PartLoading rows={6} />
    )
  }
  return (
    <section className="k-thread" aria-label={t('title')}>
      {topics.map(({ topic }) => (
        <TopicEar
          key={topic}
          topic={topic}
          table={comments.table}
          onChange={(change) => {
            thread.handleChange(change)
            if (change.table === '*' ? change.readUntil === undefined : change.table === comments.table)
              files.refetch()
            // A merge moves the attachments of the record with its whole thread.
            if (change.table === comments.table && change.ids.length === 0) void cache.invalidate('files')
          }}
        />
      ))}
      {thread.hasEarlier ? (
        <Button loading={thread.isLoadingEarlier} onClick={() => void thread.showEarlier()}>
          {t('earlier')}
        </Button>
      ) : null}
      {thread.error ? <ErrorState text={errorText(thread.error)} onRetry={thread.retry} /> : null}
      {thread.comments.length === 0 ? (
        <p className="k-soft k-thread-empty">{kinds.length > 0 ? t('empty') : t('emptyReadOnly')}</p>
      ) : (
        <ol className="k-comments" aria-live="polite" aria-relevant="additions">
          {thread.comments.map((comment) => (
            <CommentItem
              key={comment.id}
              comment={comment}
              resource={definition.name}
              recordId={id}
              table={comments.table}
              kind={{
                label: kindWords(comment.kind),
                color: comments.kinds[comment.kind]?.color ?? null,
                isUsual: comment.kind === usual,
              }}
              names={names}
              isOwn={comment.author_id === userId}
              mayWrite={mayWrite}
              isTaken={holds(comments.kinds[comment.kind]?.when)}
              mayDeleteAll={can(definition.name, 'delete').allowed}
              isLinked={comment.id === linked}
              files={files.byComment.get(comment.id) ?? NO_FILES}
              actions={comment.kind === usual ? actionsOf.on(comment.id) : NO_ACTIONS}
              onChanged={(row) => thread.put([row])}
              onDeleted={() => thread.drop(comment.id)}
            />
          ))}
        </ol>
      )}
      <div ref={end} className="k-thread-end" />
      {actionsOf.dialog}
      {arrived.length > 0 ? (
        <Button className="k-thread-jump" type="primary" shape="round" onClick={jump}>
          {t('jump', { count: arrived.length })}
        </Button>
      ) : null}
      <PresenceLine present={present} />
      {closed.map(([name, { instead }]) => (
        <p key={name} className="k-thread-closed">
          <span>{words.text('closed', name) ?? t('closed')}</span>
          {actionsOf.instead(instead)}
        </p>
      ))}
      {kinds.length > 0 ? (
        <CommentBox
          definition={definition}
          comments={comments}
          record={record}
          userId={userId}
          kinds={kinds}
          onSent={(row, hasFiles) => {
            thread.put([row])
            if (hasFiles) files.refetch()
          }}
          onWriting={setWriting}
        />
      ) : null}
    </section>
  )
}

/** The actions of the definition that are offered beside a comment or in place of the box, as far as the user and the record allow them. */
function useCommentActions(definition: Definition, record: Row) {
  const words = useWords(definition)
  const can = useCan()
  const scope = useResourceScope()
  const runner = useActionRunner(definition, scope, () => undefined)
  const offered = (place: 'comment' | 'record') =>
    actionsOn(definition, place).filter(
      ({ action, object, verb }) =>
        can(object, verb, record).allowed && isActionOffered(definition, action, record, scope.filter),
    )
  const act = (named: NamedAction, options?: { comment: string }): CommentAction => ({
    key: named.name,
    label: words.action(named.name),
    run: () => runner.run(named, [record], options),
  })
  return {
    on: (comment: string) => offered('comment').map((named) => act(named, { comment })),
    /** The button of the first of these actions that is offered. */
    instead: (names: readonly string[]) => {
      const possible = offered('record')
      const named = names.flatMap((name) => possible.filter((each) => each.name === name))[0]
      return named ? <Button onClick={act(named).run}>{words.action(named.name)}</Button> : null
    },
    dialog: runner.dialog,
  }
}

/** Read again when a comment mentions somebody whose name is not known yet. */
function useNames(resource: string, id: string, comments: readonly Comment[]): ReadonlyMap<string, string> {
  const mentioned = useMemo(
    () => [...new Set(comments.flatMap(({ mentions }) => mentions))].sort(),
    [comments],
  )
  const { data } = useRpc<{ id: string; name: string }[]>(
    // The ids are part of the key alone: with another one, the answer is another.
    {
      name: 'comment_names',
      args: { resource, record_id: id },
      asked: { resource, record_id: id, mentioned: mentioned.join() },
    },
    { enabled: mentioned.length > 0, placeholderData: (before) => before },
  )
  return useMemo(() => new Map((data ?? []).map((person) => [person.id, person.name])), [data])
}

/** The comment that the address names: earlier pages are read until it is there. */
function useLinked(
  comments: readonly Comment[] | null,
  hasEarlier: boolean,
  isLoading: boolean,
  showEarlier: () => Promise<void>,
): string | null {
  const [params] = useSearchParams()
  const linked = params.get('comment')
  const isMissing = linked !== null && comments !== null && !comments.some(({ id }) => id === linked)
  useEffect(() => {
    if (isMissing && hasEarlier && !isLoading) void showEarlier()
  }, [isMissing, hasEarlier, isLoading, showEarlier])
  return linked
}

function PresenceLine({ present }: { present: readonly Present[] }) {
  const { t } = useTranslation('comments')
  const writing = present.filter(({ isWriting }) => isWriting).map(({ name }) => name)
  const looking = present.filter(({ isWriting }) => !isWriting).map(({ name }) => name)
  return (
    <p className="k-presence" aria-live="polite">
      {writing.length > 0 ? (
        <span data-writing="true">
          {t('presence.writing', { names: writing.join(', '), count: writing.length })}
        </span>
      ) : null}
      {looking.length > 0 ? (
        <span>{t('presence.looking', { names: looking.join(', '), count: looking.length })}</span>
      ) : null}
    </p>
  )
}
