/**
 * A failure between a screen and the database, by SQLSTATE. A screen asks for the class and never reads a message:
 * messages change with the server's version and language, codes do not.
 */
export class DataError extends Error {
  /** SQLSTATE or PostgREST code, where the server gave one. */
  readonly code: string
  /** The HTTP status, for Refine; 0 where there was no answer. */
  statusCode = 0
  constructor(message: string, code = '') {
    super(message)
    this.name = new.target.name
    this.code = code
  }
}

export type DenialReason = 'role' | 'read-only' | 'without-pro' | 'rule'

/** 42501: the permission trigger or row-level security refused. */
export class DeniedError extends DataError {
  readonly reason: DenialReason
  /** The hint of the refusal: a rule of a function about this person, not about their role. */
  readonly rule: string | undefined
  constructor(message: string, reason: DenialReason, code = '42501', rule?: string) {
    super(message, code)
    this.reason = reason
    this.rule = rule
  }
}

/** The row was changed by somebody else since it was read: the optimistic lock is lost. */
export class ConflictError extends DataError {}

/** 23505: another row has this value. */
export class DuplicateError extends DataError {
  readonly column: string | undefined
  readonly constraint: string | undefined
  constructor(message: string, column?: string, constraint?: string) {
    super(message, '23505')
    this.column = column
    this.constraint = constraint
  }
}

/** 23P01: another row has an overlapping time. */
export class OverlapError extends DataError {
  readonly constraint: string | undefined
  constructor(message: string, constraint?: string) {
    super(message, '23P01')
    this.constraint = constraint
  }
}

/** 23503: the row is still in use, or refers to one that does not exist. */
export class LinkError extends DataError {
  readonly column: string | undefined
  readonly constraint: string | undefined
  constructor(message: string, column?: string, constraint?: string) {
    super(message, '23503')
    this.column = column
    this.constraint = constraint
  }
}

/** 23514, 23502 and the 22xxx family: a value the database does not take. */
export class CheckError extends DataError {
  readonly column: string | undefined
  readonly constraint: string | undefined
  /** The refused value, where the server quotes it instead of naming a column. */
  readonly refused: string | undefined
  /** The maximum number of characters, for a text that is too long (22001). */
  readonly limit: number | undefined
  /** The records of another resource whose rules the value would break. */
  readonly blocking: Blocking | undefined
  /** Which rule of a function it breaks. */
  readonly rule: string | undefined
  /** The values that the words for the rule mention. */
  readonly values: Readonly<Record<string, string>>
  constructor(
    message: string,
    code: string,
    column?: string,
    constraint?: string,
    refused?: Refused,
    rule?: string,
    values: Readonly<Record<string, string>> = {},
  ) {
    super(message, code)
    this.rule = rule
    this.values = values
    this.column = column
    this.constraint = constraint
    this.refused = refused?.value
    this.limit = refused?.limit
    this.blocking = refused?.blocking
  }
}

interface Blocking {
  resource: string
  count: number
}

interface Refused {
  value?: string
  limit?: number
  blocking?: Blocking
}

/** The row is gone, or was never visible to this user. */
export class GoneError extends DataError {}

/** No answer: no network, or the backend is down. */
export class OfflineError extends DataError {}

/** The session has ended: the answer was 401, or the database refused the write with 42501 and this hint. */
export class SessionError extends DataError {}

export class RateLimitError extends DataError {}

/** The database gave up on the statement (57014; 40P01: it and another waited for each other), or was too busy to start it. */
export class BusyError extends DataError {}

/** Anything else; its message is the server's own and may be shown. */
export class UnknownError extends DataError {}

interface ServerError {
  message: string
  code: string
  details: string
  hint: string
  status: number
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function readServerError(error: unknown, status: number): ServerError {
  const source = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>
  const own = typeof source.status === 'number' ? source.status : 0
  return {
    message: text(source.message) || (typeof error === 'string' ? error : ''),
    code: text(source.code),
    details: text(source.details),
    hint: text(source.hint),
    status: status || own,
  }
}

function denialReason(hint: string): DenialReason {
  return hint === 'read-only' || hint === 'without-pro' || hint === 'rule' ? hint : 'role'
}

/** Whether the body of a refused request says that its session has ended. */
export function isSessionRefusal(body: unknown): boolean {
  const { code, hint } = readServerError(body, 0)
  return code === '42501' && hint === 'session'
}

/** `Key (company_id, name)=(…) already exists.` names columns; the tenant's is never the one to blame. */
function columnOfKey(details: string): string | undefined {
  const columns = /^Key \((.+?)\)(?:=| is)/.exec(details)?.[1]?.split(',') ?? []
  return columns
    .map((column) =>
      column
        .replace(/^ *lower\((\w+).*$/, '$1')
        .trim()
        .replaceAll('"', ''),
    )
    .filter((column) => column !== 'company_id')
    .at(-1)
}

const NETWORK_FAILURE = /failed to fetch|fetch failed|networkerror|load failed|network request failed/i

function constraintOf(message: string): string | undefined {
  return /constraint "([^"]+)"/.exec(message)?.[1]
}

function columnNamed(message: string): string | undefined {
  return /column "([^"]+)"/.exec(message)?.[1]
}

/** `time zone "Mars/Phobos" not recognized`; `value too long for type character varying(120)`. */
function refusedIn(message: string, code: string): Refused {
  const limit = code === '22001' ? /\((\d+)\)/.exec(message)?.[1] : undefined
  const value = /"([^"]*)"/.exec(message)?.[1]
  return { ...(limit ? { limit: Number(limit) } : {}), ...(value !== undefined && !limit ? { value } : {}) }
}

/** A trigger that holds a `check` against a related record says `… in 3 records of "<resource>"`. */
function blockingIn(message: string): Refused {
  const [, count, resource] = / in (\d+) records of "([^"]+)"$/.exec(message) ?? []
  return count !== undefined && resource !== undefined ? { blocking: { resource, count: Number(count) } } : {}
}

/** `{"script": "Restart", "parameter": "Service"}`; nothing from a detail that is no such object. */
function valuesIn(details: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(details)
    if (typeof value !== 'object' || value === null) return {}
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, String(each)]))
  } catch {
    return {}
  }
}

/** Gives every failure its class. `status` is the HTTP status where the client tells it apart. */
export function toDataError(error: unknown, status = 0): DataError {
  if (error instanceof DataError) return error
  const source = readServerError(error, status)
  const known = classOf(source)
  known.statusCode = source.status
  return known
}

/** Their details are the values that the text for the rule names. */
const HINTS_WITH_VALUES: ReadonlySet<string> = new Set([
  'parameter_required',
  'hidden_characters',
  'unclean_line',
  'held_by_trash',
  'mail_ticket_in_trash',
  'field_of_policy',
  'links_too_many',
  'placeholder_unknown',
  'answer_missing',
  'answers_invalid',
  'file_size',
  'ticket_merged',
  'ticket_merged_gone',
  'merge_into_merged',
  'hours_overlap',
])

function classOf(e: ServerError): DataError {
  // Before 42501: without a session the database refuses the anonymous role with that code, and a status of 401.
  if (e.status === 401 || e.code === 'PGRST301' || e.code === 'PGRST303' || isSessionRefusal(e))
    return new SessionError(e.message, e.code)
  if (e.code === '42501') return new DeniedError(e.message, denialReason(e.hint), e.code, e.hint || undefined)
  if (e.code === '23505')
    return new DuplicateError(e.message, columnOfKey(e.details), constraintOf(e.message))
  if (e.code === '23P01') return new OverlapError(e.message, constraintOf(e.message))
  if (e.code === '23503') return new LinkError(e.message, columnOfKey(e.details), constraintOf(e.message))
  if (e.code === '23514')
    return new CheckError(
      e.message,
      e.code,
      columnNamed(e.message),
      constraintOf(e.message),
      blockingIn(e.message),
      e.hint || undefined,
      HINTS_WITH_VALUES.has(e.hint) ? valuesIn(e.details) : {},
    )
  if (e.code === '23502') return new CheckError(e.message, e.code, columnNamed(e.message))
  if (e.code === 'PT409') return new ConflictError(e.message, e.code)
  if (['PGRST116', 'P0002', 'PT404'].includes(e.code)) return new GoneError(e.message, e.code)
  if (['57014', '53300', '55P03', '40P01'].includes(e.code)) return new BusyError(e.message, e.code)
  if (e.code.startsWith('22')) {
    const column = columnNamed(e.message)
    return new CheckError(e.message, e.code, column, undefined, refusedIn(e.message, e.code))
  }
  if (e.status === 429) return new RateLimitError(e.message, e.code)
  if (e.status === 403) return new DeniedError(e.message, denialReason(e.hint), e.code)
  if (e.status >= 502 && e.status <= 504) return new OfflineError(e.message, e.code)
  if (e.code === '' && NETWORK_FAILURE.test(e.message)) return new OfflineError(e.message)
  return new UnknownError(e.message, e.code)
}
