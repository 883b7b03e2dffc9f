/** As GoTrue writes errors; supabase-js reads the code from the body. */
export function authError(
  status: number,
  code: string,
  message: string,
  headers: HeadersInit = {},
): Response {
  return Response.json(
    { code: status, error_code: code, msg: message },
    { status, headers: { 'x-sb-error-code': code, 'access-control-allow-origin': '*', ...headers } },
  )
}

export const tooMany = (retryAfter: number, code = 'over_request_rate_limit'): Response =>
  authError(429, code, 'Too many attempts. Wait a few minutes, then try again.', {
    'retry-after': String(retryAfter),
    'access-control-expose-headers': 'retry-after',
  })
