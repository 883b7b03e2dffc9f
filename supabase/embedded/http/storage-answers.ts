import { jsonResponse } from './context'

/** A refusal as Supabase Storage writes it, with the hint that the console has words for. */
export const refusal = (
  status: number,
  message: string,
  { hint, error, ...headers }: Record<string, string> = {},
) =>
  jsonResponse(
    { statusCode: String(status), error: error ?? message, message, ...(hint ? { hint } : {}) },
    status,
    { 'access-control-allow-origin': '*', 'cache-control': 'no-store', ...headers },
  )

export const denied = () =>
  refusal(403, 'new row violates row-level security policy', { error: 'Unauthorized' })
