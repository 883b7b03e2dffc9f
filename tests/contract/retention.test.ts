import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { schemaFiles } from '../../scripts/schema/files'

const ROOT = resolve(import.meta.dirname, '../..')
const SQL = schemaFiles(ROOT)
  .map(({ sql }) => sql)
  .join('\n')

/** The days after which the tick deletes rows of a table. */
function daysKept(table: string): number[] {
  const statement = new RegExp(
    `delete from (?:public|app)\\.${table}\\b[^;]*interval '\\d+ days'[^;]*;`,
  ).exec(SQL)
  return [...(statement?.[0] ?? '').matchAll(/interval '(\d+) days'/g)].map(([, days]) => Number(days))
}

it.each(['failed_login_attempts', 'software_changes'])(
  'an empty list of %s says how long rows are kept',
  (table) => {
    const [days] = daysKept(table)
    expect(days).toBeGreaterThan(0)
    for (const language of ['en', 'tr']) {
      const words = readFileSync(join(ROOT, `locales/${language}/resources/${table}.json`), 'utf8')
      expect((JSON.parse(words) as { empty: string }).empty).toMatch(new RegExp(`\\b${days}\\b`))
    }
  },
)

it('the document of security says how long each log is kept', () => {
  const document = readFileSync(join(ROOT, 'docs/security.md'), 'utf8')
  const kept = (log: string) => new RegExp(`^\\| ${log} \\|.*\\| ([^|]+) \\|$`, 'm').exec(document)?.[1]
  const years = (days: number | undefined) => `${Number(days) / 365} years`
  expect(kept('failed sign-ins')).toBe(`${daysKept('failed_login_attempts')[0]} days`)
  expect(kept('audit log')).toBe(years(daysKept('audit_log')[0]))
  const [all, failures] = daysKept('security_log')
  expect(kept('security log')).toBe(`${years(all)}; failures and refusals ${failures} days`)
})

it('the words of the trash and the document of security say how long it keeps a record', () => {
  const days = /create function app\.trash_ends\([^;]*?interval '(\d+) days'/.exec(SQL)?.[1]
  expect(Number(days)).toBeGreaterThan(0)
  for (const language of ['en', 'tr']) {
    const words = JSON.parse(readFileSync(join(ROOT, `locales/${language}/trash.json`), 'utf8')) as Record<
      string,
      string
    >
    for (const key of ['about', 'nothingText', 'deleteText_one', 'deleteText_other'])
      expect(words[key]).toMatch(new RegExp(`\\b${days}\\b`))
  }
  expect(readFileSync(join(ROOT, 'docs/security.md'), 'utf8')).toContain(`it is kept for ${days} days`)
})
