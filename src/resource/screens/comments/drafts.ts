import { randomUuid } from '@/data/random-uuid'
import type { Picked } from '@/resource/screens/comments/mention-text'
import { DRAFT_PREFIX } from '@/session/stored-session'

/** A text that was not sent yet, as this browser keeps it. */
export interface Draft {
  text: string
  picked: Picked
  /** Made when the text was first sent: the same text sent again is one comment. */
  once?: { key: string; text: string }
}

export const NO_DRAFT: Draft = { text: '', picked: {} }

export function draftKey(user: string, table: string, record: string, kind: string): string {
  return `${DRAFT_PREFIX}${user}:${table}:${record}:${kind}`
}

export function readDraft(key: string): Draft {
  try {
    const stored: unknown = JSON.parse(window.localStorage.getItem(key) ?? 'null')
    if (typeof stored !== 'object' || stored === null || !('text' in stored)) return NO_DRAFT
    return { ...NO_DRAFT, ...(stored as Draft) }
  } catch {
    return NO_DRAFT
  }
}

/** The page alone keeps the text where the storage is missing or full. */
export function writeDraft(key: string, draft: Draft): void {
  try {
    if (draft.text.trim() === '') window.localStorage.removeItem(key)
    else window.localStorage.setItem(key, JSON.stringify(draft))
  } catch {
    // The page still holds it.
  }
}

/** The draft with the key under which its text is sent: a text that was changed since is another comment. */
export function sending(draft: Draft): Draft & { once: { key: string; text: string } } {
  const { once, text } = draft
  return { ...draft, once: once?.text === text ? once : { key: randomUuid(), text } }
}
