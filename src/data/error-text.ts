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

/** Rules of database functions with their own texts, by the hint of the error: keys of `errors:rules`. */
const RULES: readonly string[] = [
  'devices_none',
  'devices_too_many',
  'platform_none',
  'platform_of_type',
  'runs_too_many',
  'role_without_alerts',
  'person_deactivated',
  'views_too_many',
  'settings_too_many',
  'favorites_too_many',
  'settings_too_large',
  'patches_none',
  'agent_none',
  'job_runs',
  'secrets_needed',
  'automation_disabled',
  'automation_empty',
  'automation_no_devices',
  'maintenance_minutes',
  'monitor_untestable',
  'target_ping',
  'target_tcp',
  'target_http',
  'rule_of_groups',
  'rule_of_days',
  'rule_of_tables',
  'rule_too_slow',
  'rule_too_long',
  'rules_too_many',
  'group_by_rule',
  'upload_unavailable',
  'upload_name',
  'upload_name_long',
  'upload_type',
  'upload_content',
  'upload_version',
  'upload_size',
  'upload_room',
  'upload_version_exists',
  'upload_versions',
  'upload_gone',
  'upload_offset',
  'upload_busy',
  'upload_disk',
  'package_missing',
  'app_not_removable',
  'group_of_policy',
  'group_of_automation',
  'group_in_use',
  'group_of_script',
  'group_of_schedule',
  'starts_in_past',
  'target_invalid',
  'schedule_target_count',
  'target_of_tables',
  'procedure_gone',
  'retry_none',
  'hidden_characters',
  'field_of_policy',
  'links_too_many',
  'approver_of_author',
  'own_version',
  'version_replaced',
  'version_decided',
  'reason_invalid',
]

/** Database rules with their own texts. */
const CONSTRAINT_KEYS: Record<string, string> = { user_roles_last_admin: 'lastAdmin' }

/**
 * Maps a failure to a key of the `errors` namespace. `null` means that the class is unknown and the server's
 * own message is shown.
 */
export function errorKey(error: DataError): string | null {
  if (error instanceof DeniedError && error.rule !== undefined && RULES.includes(error.rule))
    return `rules.${error.rule}`
  if (error instanceof DeniedError) return `denied.${error.reason}`
  if (error instanceof ConflictError) return 'conflict'
  if (error instanceof DuplicateError) return 'duplicate'
  if (error instanceof OverlapError) return 'overlap'
  if (error instanceof LinkError) return 'reference'
  if (error instanceof CheckError && error.values.parameter !== undefined) return 'rules.parameter_named'
  if (error instanceof CheckError && error.rule !== undefined && RULES.includes(error.rule))
    return `rules.${error.rule}`
  if (error instanceof CheckError)
    return CONSTRAINT_KEYS[error.constraint ?? ''] ?? CHECK_KEYS[error.code] ?? 'check'
  if (error instanceof GoneError) return 'gone'
  if (error instanceof OfflineError) return 'offline'
  if (error instanceof SessionError) return 'session'
  if (error instanceof RateLimitError) return 'rateLimit'
  if (error instanceof BusyError) return 'busy'
  return null
}

/** The server failed: by the status, or by its code where the client passes no status on. */
const isServerFault = ({ statusCode, code }: DataError) =>
  statusCode >= 500 || /^(SUP$|XX|58|PGRST00)/.test(code)

/**
 * `translate` looks a key of the `errors` namespace up. Order: the known class, the server's message,
 * then the caller's fallback. The message of a server that failed (500) is not shown: it is English, and may say more
 * than a page should.
 */
export function errorText(
  error: unknown,
  translate: (key: string, values?: Readonly<Record<string, string>>) => string,
  fallback?: string,
): string {
  const known = toDataError(error)
  const key = errorKey(known)
  if (key) return translate(key, known instanceof CheckError ? known.values : undefined)
  const message = isServerFault(known) ? '' : known.message
  return message || fallback || translate('unknown')
}
