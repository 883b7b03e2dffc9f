export type CodeLanguage = 'python' | 'shell' | 'powershell' | 'json' | 'plain'

const NAMES: Record<string, CodeLanguage> = {
  python: 'python',
  bash: 'shell',
  sh: 'shell',
  shell: 'shell',
  powershell: 'powershell',
  json: 'json',
}

/** `python`, or `$record.type` to follow another field; names as people write them, such as `PowerShell`. */
export function codeLanguage(given: string | undefined, record: Record<string, unknown>): CodeLanguage {
  const name = given?.startsWith('$record.') ? String(record[given.slice('$record.'.length)] ?? '') : given
  return NAMES[name?.toLowerCase() ?? ''] ?? 'plain'
}
