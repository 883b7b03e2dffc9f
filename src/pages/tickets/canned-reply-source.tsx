import { useEffect } from 'react'
import { fold } from '@/i18n/fold'
import { type CannedReply, useCannedReplies } from '@/pages/tickets/canned-replies'
import type { MenuSourceProps } from '@/resource/screens/comments/comment-slots'

/** A shortcut comes first, then a name that begins with the words, then one that holds them. */
function rank({ name, shortcut }: CannedReply, words: string): number {
  const [typed, short, long] = [fold(words), fold(shortcut ?? ''), fold(name)]
  if (short !== '' && short.startsWith(typed)) return 0
  if (long.startsWith(typed)) return 1
  return long.includes(typed) || short.includes(typed) ? 2 : 3
}

/** The canned replies for the ticket as entries of the menu; the database fills in the one that is picked. */
export function CannedReplySource({ record, words, onItems }: MenuSourceProps) {
  const { replies, isLoading, fill } = useCannedReplies({
    company_id: String(record.company_id),
    category_id: typeof record.category_id === 'string' ? record.category_id : null,
  })
  const id = String(record.id)
  const found = replies
    .map((reply) => ({ reply, at: rank(reply, words) }))
    .filter(({ at }) => at < 3)
    .sort((one, other) => one.at - other.at)
    .map(({ reply }) => reply)
  const shown = isLoading ? null : found.map((reply) => reply.id).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the ids say whether the entries are others
  useEffect(() => {
    if (shown === null) return
    onItems(
      found.map((reply) => ({
        key: reply.id,
        label: reply.name,
        ...(reply.shortcut ? { hint: `/${reply.shortcut}` } : {}),
        insert: () => fill(reply.id, id),
      })),
    )
  }, [shown, id, onItems])
  return null
}
