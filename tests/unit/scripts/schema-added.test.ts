import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { GENERATED_MARK } from '../../../scripts/resource/migration/create'
import { differences } from '../../../scripts/schema/command'

const KEPT = 'create table public.kept (id integer primary key);\n'
const PRINTERS = `
create table public.printers (id integer primary key, serial text);
comment on table public.printers is 'Printers of a company.';
create index printers_serial_idx on public.printers (serial);
create function app.guard_printers() returns trigger language plpgsql as $$ begin return new; end $$;
comment on function app.guard_printers() is 'Row trigger.';
create trigger printers_guard before insert on public.printers for each row execute function app.guard_printers();
grant select on public.printers to authenticated;
alter table public.printers enable row level security;
`

let root: string
function tree(migrations: Record<string, string>): string {
  root = mkdtempSync(join(tmpdir(), 'schema-added-'))
  const files = {
    'config.toml': 'schema_paths = [\n  "./schemas/*/tables.sql",\n  "./schemas/90_resources/*.sql",\n]\n',
    'schemas/01_base/tables.sql': KEPT,
    'migrations/1_baseline.sql': KEPT,
    ...migrations,
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, 'supabase', path)), { recursive: true })
    writeFileSync(join(root, 'supabase', path), text)
  }
  return root
}
afterEach(() => rmSync(root, { recursive: true, force: true }))

it('the table of an added resource is in the schemas as any other', async () => {
  const migrations = {
    'migrations/2_create_printers.sql': `${GENERATED_MARK}\n${PRINTERS}`,
    'migrations/3_change_printers.sql': 'alter table public.printers add column room text;\n',
  }
  const found = await differences(tree(migrations))
  expect(found.join('\n')).toContain(
    '2_create_printers.sql:3: table public.printers is in no file of supabase/schemas',
  )
  rmSync(root, { recursive: true, force: true })
  const written = PRINTERS.replace('serial text', 'serial text, room text')
  expect(
    await differences(tree({ ...migrations, 'schemas/90_resources/001_printers.sql': written })),
  ).toEqual([])
})

it('a table that somebody wrote by hand belongs into the schemas', async () => {
  const found = await differences(tree({ 'migrations/2_create_printers.sql': PRINTERS }))
  expect(found.join('\n')).toContain(
    '2_create_printers.sql:2: table public.printers is in no file of supabase/schemas',
  )
  expect(found.join('\n')).toContain('function app.guard_printers()')
})
