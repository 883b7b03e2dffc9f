import type { TestBackend } from './backend'

/** For a file that changes permission lines of a shared backend: gives what puts them back as they are now. */
export async function keepPermissionLines({ sql }: Pick<TestBackend, 'sql'>): Promise<() => Promise<void>> {
  const lines = await sql('select * from app.policy_rule')
  return async () => {
    const kept = '(select r from jsonb_populate_recordset(null::app.policy_rule, $1::text::jsonb) r)'
    await sql(`delete from app.policy_rule p where p not in ${kept}`, [JSON.stringify(lines)])
    await sql(`insert into app.policy_rule select (r).* from ${kept} x (r) on conflict do nothing`, [
      JSON.stringify(lines),
    ])
  }
}
