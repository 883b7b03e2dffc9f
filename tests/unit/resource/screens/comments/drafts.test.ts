// @vitest-environment happy-dom
import { afterEach, expect, it } from 'vitest'
import { draftKey, NO_DRAFT, readDraft, sending, writeDraft } from '@/resource/screens/comments/drafts'
import { markSignedOut } from '@/session/stored-session'

afterEach(() => window.localStorage.clear())

const key = draftKey('me', 'ticket_comments', '1', 'note')

it('keeps a draft of each record and kind until it is empty', () => {
  writeDraft(key, { text: 'Half', picked: { Ali: '2' } })
  expect(readDraft(key)).toEqual({ text: 'Half', picked: { Ali: '2' } })
  expect(readDraft(draftKey('me', 'ticket_comments', '1', 'reply'))).toEqual(NO_DRAFT)
  writeDraft(key, { text: ' ', picked: {} })
  expect(window.localStorage.getItem(key)).toBeNull()
})

it('forgets all drafts when somebody signs out', () => {
  writeDraft(key, { text: 'Half', picked: {} })
  markSignedOut('me')
  expect(readDraft(key)).toEqual(NO_DRAFT)
})

it('sends the same text under the same key, and a changed one under another', () => {
  const first = sending({ text: 'One', picked: {} })
  expect(sending(first).once.key).toBe(first.once.key)
  expect(sending({ ...first, text: 'Two' }).once.key).not.toBe(first.once.key)
})
