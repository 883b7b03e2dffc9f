import type { CommentSlots } from '@/resource/screens/comments/comment-slots'
import { lazyPart } from '@/ui/load-chunk'

/**
 * The sources of what `/` offers in the box of a comment. Each is a component of `src/pages`, loaded when somebody first
 * types `/`; the entries appear in the order of this list.
 */
export const commentSlots: CommentSlots = {
  sources: [
    {
      key: 'canned-replies',
      resources: ['tickets'],
      policy: { object: 'canned_replies', verb: 'list' },
      // A placeholder that has no value for the ticket is inserted as it is.
      unfilled: /\{[a-z]+\.[a-z]+\}/,
      Source: lazyPart(async () => ({
        default: (await import('@/pages/tickets/canned-reply-source')).CannedReplySource,
      })),
    },
    {
      key: 'articles',
      resources: ['tickets'],
      policy: { object: 'articles', verb: 'list' },
      Source: lazyPart(async () => ({
        default: (await import('@/pages/tickets/article-source')).ArticleSource,
      })),
    },
  ],
}
