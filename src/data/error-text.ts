import {
  BusyError,
  CheckError,
  ConflictError,
  type DataError,
  DeniedError,
  DuplicateError,
  GoneError,
  LinkError,
  OfflineError,
  OverlapError,
  RateLimitError,
  SessionError,
  toDataError,
} from '@/data/errors'

const CHECK_KEYS: Record<string, string> = {
  '23502': 'required',
  '22001': 'tooLong',
  '22003': 'outOfRange',
}

/** The hint of a rule of the database: a key of `rules`. Hints of PostgreSQL itself are sentences. */
const RULE = /^[a-z_]+$/

/** Database rules with their own texts. */
const CONSTRAINT_KEYS: Record<string, string> = { user_roles_last_admin: 'lastAdmin' }

/** The key of a class; `null` means that the class is unknown and the server's own message is shown. */
function classKey(error: DataError): string | null {
  if (error instanceof DeniedError) return `denied.${error.reason}`
  if (error instanceof ConflictError) return 'conflict'
  if (error instanceof DuplicateError) return 'duplicate'
  if (error instanceof OverlapError) return 'overlap'
  if (error instanceof LinkError) return 'reference'
  if (error instanceof CheckError)
    return CONSTRAINT_KEYS[error.constraint ?? ''] ?? CHECK_KEYS[error.code] ?? 'check'
  if (error instanceof GoneError) return 'gone'
  if (error instanceof OfflineError) return 'offline'
  if (error instanceof SessionError) return 'session'
  if (error instanceof RateLimitError) return 'rateLimit'
  if (error instanceof BusyError) return 'busy'
  return null
}

/**
 * Maps a failure to keys of the `errors` namespace, the most exact first: the rule that a function names, of the namespace
 * `rules`, which may have no text, then the class. Empty for an unknown class.
 */
export function errorKeys(error: DataError): string[] {
  const hasRule = error instanceof DeniedError || error instanceof CheckError
  const rule =
    error instanceof CheckError && error.values.parameter !== undefined
      ? 'parameter_named'
      : hasRule && RULE.test(error.rule ?? '')
        ? error.rule
        : undefined
  return [...(rule === undefined ? [] : [`rules:${rule}`]), classKey(error)].filter((key) => key !== null)
}

/** The server failed: by the status, or by its code where the client passes no status on. */
const isServerFault = ({ statusCode, code }: DataError) =>
  statusCode >= 500 || /^(SUP$|XX|58|PGRST00)/.test(code)

/**
 * `translate` looks up the first of these keys of the `errors` namespace that has a text. Order: the known class, the server's message,
 * then the caller's fallback. The message of a server that failed (500) is not shown: it is English, and may say more
 * than a page should.
 */
export function errorText(
  error: unknown,
  translate: (keys: string[], values?: Readonly<Record<string, string>>) => string,
  fallback?: string,
): string {
  const known = toDataError(error)
  const keys = errorKeys(known)
  if (keys.length > 0) return translate(keys, known instanceof CheckError ? known.values : undefined)
  const message = isServerFault(known) ? '' : known.message
  return message || fallback || translate(['unknown'])
}
