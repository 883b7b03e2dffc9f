import type { Context } from 'hono'
import type { Env } from './context'

/** Best first. */
export const ENCODINGS = ['br', 'gzip'] as const

export type Encoding = (typeof ENCODINGS)[number]

/** Whether an `accept-encoding` header takes the encoding. */
export const accepts = (header: string | undefined, encoding: string): boolean =>
  (header ?? '').split(',').some((part) => {
    const [name, quality] = part.trim().split(/;\s*q=/)
    return name === encoding && Number(quality ?? 1) > 0
  })

/** Whether the client has the version with this tag already. */
export function unchanged(c: Context<Env>, etag: string): boolean {
  return (c.req.header('if-none-match') ?? '')
    .split(',')
    .some((value) => value.trim().replace(/^W\//, '') === etag)
}
