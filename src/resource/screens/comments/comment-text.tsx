import { Input } from 'antd'
import type { TextAreaRef } from 'antd/es/input/TextArea'
import { type KeyboardEvent, Suspense, useId, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRpcCall } from '@/refine/use-rpc'
import { MarkdownText } from '@/resource/fields/markdown/view'
import { BoxMenuList, useBoxMenu } from '@/resource/screens/comments/box-menu'
import type { BoxMenu, BoxMenuItem } from '@/resource/screens/comments/comment-slots'
import type { Draft } from '@/resource/screens/comments/drafts'
import { type MenuStart, menuAt } from '@/resource/screens/comments/mention-text'
import { useErrorText } from '@/resource/use-error-text'
import { PartLoading } from '@/ui/loading-state'
import { LimitCounter } from '@/ui/text-field'
import { useMedia } from '@/ui/use-media'

const MAX_LENGTH = 20_000

interface CommentTextProps {
  draft: Draft
  label: string
  menus: readonly BoxMenu[]
  onChange: (draft: Draft) => void
  onSend: () => void
  isDisabled?: boolean
  hasFocus?: boolean
}

/** The text of a comment: Markdown with menus, sent by Ctrl+Enter. */
export function CommentText({
  draft,
  label,
  menus,
  onChange,
  onSend,
  isDisabled,
  hasFocus,
}: CommentTextProps) {
  const { t } = useTranslation('comments')
  const errorText = useErrorText()
  const engine = useTranslation('engine')
  // With an on-screen keyboard open, a long text scrolls in itself, so that the button that sends it stays in view.
  const isShort = useMedia('(height < 520px)')
  const id = useId()
  const area = useRef<TextAreaRef>(null)
  const [start, setStart] = useState<MenuStart | null>(null)
  const [isPreview, setPreview] = useState(false)
  const [isFilling, setFilling] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const menu = useBoxMenu(start, menus)
  const triggers = useMemo(() => menus.map(({ trigger }) => trigger), [menus])
  const { text, picked } = draft

  const readMenu = () => {
    const element = area.current?.resizableTextArea?.textArea
    if (element) setStart(menuAt(element.value, element.selectionStart, triggers))
  }
  const insert = ({ from, words }: MenuStart, written: string, person?: string) => {
    const element = area.current?.resizableTextArea?.textArea
    const after = text.slice(from + 1 + words.length)
    const inserted = `${written} `
    onChange({
      text: `${text.slice(0, from)}${inserted}${after.replace(/^ /, '')}`,
      picked: person ? { ...picked, [written.slice(1)]: person } : picked,
    })
    const caret = from + inserted.length
    window.requestAnimationFrame(() => {
      element?.focus()
      element?.setSelectionRange(caret, caret)
    })
  }
  const pick = async (item: BoxMenuItem) => {
    if (!start || isFilling) return
    setProblem(null)
    setStart(null)
    if (typeof item.insert === 'string') return insert(start, item.insert, item.person)
    // The text must not change before the answer comes: its place in the text would be another one.
    setFilling(true)
    try {
      insert(start, await item.insert())
    } catch (error) {
      setProblem(errorText(error))
    } finally {
      setFilling(false)
    }
  }
  const handleKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      return onSend()
    }
    if (!start) return
    if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      return setStart(null)
    }
    const count = menu.items?.length ?? 0
    if (count === 0) return
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      return menu.setAt((menu.at + (event.key === 'ArrowDown' ? 1 : count - 1)) % count)
    }
    const item = menu.items?.[menu.at]
    if ((event.key === 'Enter' || event.key === 'Tab') && item) {
      event.preventDefault()
      void pick(item)
    }
  }
  return (
    <div className="k-markdown-editor k-comment-text">
      <Input.TextArea
        ref={area}
        className={isPreview ? 'k-hidden' : undefined}
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={start && menu.items?.length ? id : undefined}
        aria-activedescendant={start && menu.items?.length ? `${id}-${menu.at}` : undefined}
        autoSize={{ minRows: 3, maxRows: isShort ? 5 : 14 }}
        autoFocus={hasFocus}
        value={text}
        disabled={isDisabled}
        readOnly={isFilling}
        aria-busy={isFilling}
        maxLength={MAX_LENGTH}
        onChange={(event) => {
          onChange({ ...draft, text: event.target.value })
          readMenu()
        }}
        onKeyDown={handleKey}
        onSelect={readMenu}
        onBlur={() => setStart(null)}
      />
      {start ? (
        <BoxMenuList
          {...menu}
          id={id}
          words={start.words}
          label={t(start.trigger === '@' ? 'menu.people' : 'menu.inserts')}
          onPick={(item) => void pick(item)}
        />
      ) : null}
      {problem ? (
        <p className="k-comment-problem" role="alert">
          {problem}
        </p>
      ) : null}
      <LimitCounter length={text.length} max={MAX_LENGTH} />
      {isPreview ? (
        <section className="k-markdown-preview" aria-label={engine.t('markdown.preview')}>
          {text.trim() === '' ? (
            <span className="k-soft">{engine.t('markdown.empty')}</span>
          ) : (
            <Suspense fallback={<PartLoading rows={3} />}>
              <MarkdownText text={text} />
            </Suspense>
          )}
        </section>
      ) : null}
      <div className="k-markdown-tools">
        <button
          type="button"
          className="k-text-button"
          aria-pressed={isPreview}
          onClick={() => setPreview(!isPreview)}
        >
          {engine.t('markdown.preview')}
        </button>
        <span className="k-soft">{t(triggers.includes('/') ? 'box.hintInserts' : 'box.hint')}</span>
      </div>
    </div>
  )
}

/** The people whom a comment of a kind can mention, as a menu. */
export function usePeopleMenu(resource: string, recordId: string, kind: string): BoxMenu {
  const call = useRpcCall()
  return useMemo(
    () => ({
      trigger: '@',
      find: async (words) => {
        const people = await call<{ id: string; name: string }[]>('comment_people', {
          resource,
          record_id: recordId,
          kind,
          q: words,
        })
        return people.map(({ id, name }) => ({ key: id, label: name, insert: `@${name}`, person: id }))
      },
    }),
    [call, resource, recordId, kind],
  )
}
