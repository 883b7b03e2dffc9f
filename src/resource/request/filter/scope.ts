import type { Scalar } from '@/resource/language/definition.generated'
import { embedKey, firstRow } from '@/resource/language/embed-keys'

/** The values of `$user`, `$record` and `$now` where a filter is used. */
export interface FilterScope {
  user?: { id: string; companyId?: string | null; email?: string; role?: string }
  record?: Record<string, unknown>
  /** Whether the user lists a few rows of a resource, by a row rule. */
  isLimited?: ((resource: string) => boolean) | undefined
  /** Fixed by the caller, so that one evaluation sees one instant and tests see theirs. */
  now?: Date
}

const UNIT_MS: Record<string, number> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
}

const NOW = /^\$now(?:([+-])(\d{1,6})([smhdw]))?$/

export function isVariable(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('$')
}

/** Whether the text is one of the variables of the language; `$4.50` is a price, not a misspelled variable. */
export function isKnownVariable(value: string): boolean {
  return (
    NOW.test(value) ||
    /^\$user(\.(id|company_id|email|role))?$/.test(value) ||
    /^\$record(\.\w+){1,2}$/.test(value)
  )
}

function toScalar(value: unknown): Scalar {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return null
}

/** A related record counts only while the record that was read is the one that the relation points at. */
function resolveRecord(path: string, record: FilterScope['record']): Scalar {
  const [name = '', column] = path.split('.')
  if (column === undefined) return toScalar(record?.[name])
  const related = firstRow(record?.[embedKey(name)])
  return related !== null && related.id === record?.[name] ? toScalar(related[column]) : null
}

function resolveUser(path: string, user: FilterScope['user']): Scalar {
  if (!user) return null
  if (path === '$user.company_id') return user.companyId ?? null
  if (path === '$user.email') return user.email ?? null
  if (path === '$user.role') return user.role ?? null
  return user.id
}

/** Gives a variable's value; other values as they are. A variable that stands for nothing gives null. */
export function resolveValue(value: Scalar, scope: FilterScope): Scalar {
  if (!isVariable(value) || !isKnownVariable(value)) return value
  if (value.startsWith('$user')) return resolveUser(value, scope.user)
  if (value.startsWith('$record.')) return resolveRecord(value.slice('$record.'.length), scope.record)
  const [, sign, amount, unit] = NOW.exec(value) ?? []
  const now = (scope.now ?? new Date()).getTime()
  const offset = unit ? Number(amount) * (UNIT_MS[unit] ?? 0) * (sign === '-' ? -1 : 1) : 0
  return new Date(now + offset).toISOString()
}
