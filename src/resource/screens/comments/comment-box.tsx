import { useDataProvider, useNotification } from '@refinedev/core'
import { Button, Space } from 'antd'
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import { CheckError, DuplicateError, GoneError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { useRpcCall } from '@/refine/use-rpc'
import { useMayEditInPlace } from '@/resource/fields/guards'
import type { Comments } from '@/resource/language/comments'
import type { Definition } from '@/resource/language/definition.generated'
import { useSetQuestion } from '@/resource/screens/actions/use-set-question'
import { BoxFiles, type BoxFilesState } from '@/resource/screens/comments/box-files'
import { useCommentSlots } from '@/resource/screens/comments/comment-slots'
import { CommentText, usePeopleMenu } from '@/resource/screens/comments/comment-text'
import {
  type Draft,
  draftKey,
  NO_DRAFT,
  readDraft,
  sending,
  writeDraft,
} from '@/resource/screens/comments/drafts'
import { toMarkdown } from '@/resource/screens/comments/mention-text'
import type { Setting } from '@/resource/screens/comments/send-menu'
import { useSetField } from '@/resource/screens/comments/use-set-field'
import type { Comment } from '@/resource/screens/comments/use-thread'
import { useErrorText } from '@/resource/use-error-text'
import { lazyPart } from '@/ui/load-chunk'

const SendMenu = lazyPart(() =>
  import('@/resource/screens/comments/send-menu').then((module) => ({ default: module.SendMenu })),
)

/** How long after the last key a person still counts as writing. */
const WRITING_MS = 8_000
const NO_FILES: BoxFilesState = { files: [], isSending: false }

interface CommentBoxProps {
  definition: Definition
  comments: Comments
  record: Row
  userId: string
  /** The kinds that the user may write, by name with their words. */
  kinds: readonly { name: string; label: string; hint: string; color: string | null }[]
  onSent: (row: Comment, hasFiles: boolean) => void
  /** The kind that is being written now; null after a pause. */
  onWriting: (kind: string | null) => void
}

/** Where a comment is written: a kind, its draft, and what became of the last attempt to send it. */
export function CommentBox({
  definition,
  comments,
  record,
  userId,
  kinds,
  onSent,
  onWriting,
}: CommentBoxProps) {
  const { t } = useTranslation('comments')
  const provider = useDataProvider()
  const errorText = useErrorText()
  const slots = useCommentSlots()
  const can = useCan()
  const call = useRpcCall()
  const { open } = useNotification()
  const id = String(record.id)
  const companyId = typeof record.company_id === 'string' ? record.company_id : null
  const resource = definition.name
  const { table, column } = comments
  // A text that waits is in sight: an internal note under another kind would look lost, and be written again as a reply.
  const [kindName, setKindName] = useState(
    () =>
      (kinds.find(({ name }) => readDraft(draftKey(userId, table, id, name)).text !== '') ?? kinds[0])
        ?.name ?? '',
  )
  const kind = kinds.find(({ name }) => name === kindName) ?? kinds[0]
  const name = kind?.name ?? ''
  const key = draftKey(userId, table, id, name)
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({})
  const draft = drafts[key] ?? readDraft(key)
  const [problem, setProblem] = useState<string | null>(null)
  const [isSending, setSending] = useState(false)
  const isBusy = useRef(false)
  const [allFiles, setAllFiles] = useState<Readonly<Record<string, BoxFilesState>>>({})
  const { files, isSending: isUploading } = allFiles[name] ?? NO_FILES
  const people = usePeopleMenu(resource, id, name)
  const maySet = useMayEditInPlace(definition, comments.sets, record)
  const setField = useSetField(definition, record)
  const question = useSetQuestion(definition, record)
  const sources = useMemo(
    () =>
      (slots.sources ?? []).filter(
        ({ resources, policy }) => resources.includes(resource) && can(policy.object, policy.verb).allowed,
      ),
    [slots, resource, can],
  )
  const menus = useMemo(
    () => [people, ...(sources.length > 0 ? [{ trigger: '/' as const, sources, record, kind: name }] : [])],
    [people, sources, record, name],
  )

  const pause = useRef<number | undefined>(undefined)
  const tellWriting = (isWriting: boolean) => {
    window.clearTimeout(pause.current)
    onWriting(isWriting ? name : null)
    if (isWriting) pause.current = window.setTimeout(() => onWriting(null), WRITING_MS)
  }
  useEffect(() => () => window.clearTimeout(pause.current), [])

  const keep = useCallback((at: string, changed: Draft) => {
    writeDraft(at, changed)
    setDrafts((before) => ({ ...before, [at]: changed }))
  }, [])

  const problemOf = (error: unknown): string => {
    if (error instanceof GoneError) return t('problem.gone')
    if (error instanceof CheckError && error.rule === 'comment_closed') return t('problem.closed')
    return t('problem.failed', { reason: errorText(error) })
  }

  /** The comment that an earlier attempt wrote, whose answer was lost. */
  const written = async (once: string): Promise<Comment | undefined> => {
    const { data } = await provider().getList<Comment>({
      resource: table,
      filters: [
        { field: column, operator: 'eq', value: id },
        { field: 'once_key', operator: 'eq', value: once },
      ],
      pagination: { currentPage: 1, pageSize: 1 },
      meta: { companyId, count: 'none' },
    })
    return data[0]
  }

  const post = async (setting: Setting | undefined) => {
    const sent = sending(draft)
    keep(key, sent)
    const values: Row = {
      company_id: companyId,
      [column]: id,
      kind: name,
      body: toMarkdown(sent.text, sent.picked).trim(),
      once_key: sent.once.key,
    }
    let row: Comment | undefined
    try {
      const { data } = await provider().create<Comment>({
        resource: table,
        variables: values,
        meta: { select: '*' },
      })
      row = data
    } catch (error) {
      if (!(error instanceof DuplicateError && error.constraint === `${table}_once`)) throw error
      row = await written(sent.once.key)
    }
    if (row) {
      if (files.length > 0)
        await call('attach_files', {
          ids: files.map((file) => file.id),
          resource: table,
          record_id: row.id,
        })
      setAllFiles((before) => ({ ...before, [name]: NO_FILES }))
      onSent(row, files.length > 0)
    }
    keep(key, NO_DRAFT)
    tellWriting(false)
    // The comment is sent: what fails from here on is said, and sends nothing again.
    if (setting && comments.sets)
      await setField(comments.sets, setting.value).catch((error: unknown) =>
        open?.({
          type: 'error',
          message: t('problem.notSet', { value: setting.label }),
          description: errorText(error),
        }),
      )
  }

  const unfilled = sources
    .map((source) => source.unfilled?.exec(draft.text)?.[0])
    .find((written) => written !== undefined)
  /** The text with a part that has no value, whose sender was told once. */
  const told = useRef('')
  const isReady = draft.text.trim() !== '' && !isUploading
  const send = async (setting?: Setting) => {
    if (isBusy.current || !isReady) return
    if (unfilled !== undefined && told.current !== draft.text) {
      told.current = draft.text
      setProblem(t('problem.unfilled', { part: unfilled }))
      return
    }
    isBusy.current = true
    setSending(true)
    setProblem(null)
    try {
      // The typed text stays in the box where the answer is no.
      if (setting && comments.sets && !(await question.ask(comments.sets, setting.value, setting.okText)))
        return
      await post(setting)
    } catch (error) {
      setProblem(problemOf(error))
    } finally {
      isBusy.current = false
      setSending(false)
    }
  }
  if (!kind) return null
  // A note says that it is one also where it is the last text that is kept on a closed record.
  const isNamed = kinds.length > 1 || kind.hint !== ''
  const form = (
    <form
      className="k-comment-box"
      data-color={kind.color ?? undefined}
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {kinds.length > 1 ? (
        <fieldset className="k-comment-kinds">
          <legend className="k-visually-hidden">{t('box.kind')}</legend>
          {kinds.map((each) => (
            <label key={each.name} data-color={each.color ?? undefined}>
              <input
                type="radio"
                name={`${table}-kind`}
                checked={each.name === name}
                onChange={() => {
                  setKindName(each.name)
                  setProblem(null)
                  tellWriting(false)
                }}
              />
              <span>{each.label}</span>
            </label>
          ))}
        </fieldset>
      ) : null}
      {kind.hint ? <p className="k-comment-audience">{kind.hint}</p> : null}
      <CommentText
        draft={draft}
        label={isNamed ? kind.label : t('box.label')}
        menus={menus}
        isDisabled={isSending}
        onChange={(changed) => {
          keep(key, changed)
          tellWriting(changed.text.trim() !== '')
        }}
        onSend={() => void send()}
      />
      {companyId
        ? kinds.map((each) => (
            <BoxFiles
              key={each.name}
              table={table}
              companyId={companyId}
              isActive={each.name === name}
              files={(allFiles[each.name] ?? NO_FILES).files}
              onChange={(change) =>
                setAllFiles((before) => ({ ...before, [each.name]: change(before[each.name] ?? NO_FILES) }))
              }
            />
          ))
        : null}
      {problem ? (
        <p className="k-comment-problem" role="alert">
          {problem}
        </p>
      ) : null}
      <div className="k-comment-send">
        <Space.Compact>
          <Button htmlType="submit" type="primary" loading={isSending} disabled={!isReady}>
            {isNamed ? t('box.add', { kind: kind.label }) : t('box.send')}
          </Button>
          {maySet && comments.sets ? (
            <Suspense fallback={null}>
              <SendMenu
                definition={definition}
                name={comments.sets}
                record={record}
                kind={kind.label}
                isDisabled={!isReady || isSending}
                onPick={(setting) => void send(setting)}
              />
            </Suspense>
          ) : null}
        </Space.Compact>
        <span className="k-soft">{t('box.keys')}</span>
      </div>
    </form>
  )
  // Beside the form, which the buttons of a dialog within it would send.
  return (
    <>
      {form}
      {question.dialog}
    </>
  )
}
