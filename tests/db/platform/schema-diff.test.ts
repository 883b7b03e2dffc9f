import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrationFiles, writeDifference } from '../../../scripts/schema/command'
import { renderBaseline, schemaFiles } from '../../../scripts/schema/files'
import { loadParser } from '../../../scripts/schema/parse'
import { readObjects } from '../../../scripts/schema/read'
import { openCore } from '../../../supabase/embedded/core'
import { generateKeys } from '../../../supabase/embedded/keys'
import { schemaDifference, schemaLines } from '../../support/schema-lines'

const ROOT = resolve(import.meta.dirname, '../../..')
const NEW = '17_remote'
const folders: string[] = []

/** Makes a temporary tree with the database files of this one. */
function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'konsol-schema-'))
  folders.push(folder)
  for (const name of ['config.toml', 'migrations', 'schemas', 'seed'])
    cpSync(join(ROOT, 'supabase', name), join(folder, 'supabase', name), { recursive: true })
  return folder
}

const open = (root: string, blank: boolean) =>
  openCore({
    root,
    pgliteUrl: join(root, 'pgdata'),
    blank,
    demo: false,
    keys: generateKeys(),
    siteUrl: 'http://localhost',
    mail: { send: async () => undefined },
    log: () => undefined,
  })

function change(root: string, path: string, from: string | RegExp, to: string): void {
  const file = join(root, 'supabase/schemas', path)
  const text = readFileSync(file, 'utf8')
  const changed = text.replace(from, to)
  expect(changed, `${path} has ${from}`).not.toBe(text)
  writeFileSync(file, changed)
}

/** Leaves one migration, which makes what the schemas say. */
function writeBaseline(root: string): void {
  const [baseline, ...later] = migrationFiles(root)
  for (const { path } of later) rmSync(join(root, path))
  writeFileSync(join(root, baseline?.path ?? ''), renderBaseline(schemaFiles(root)))
}

async function write(root: string, name: string, isDrop = false): Promise<{ code: number; said: string[] }> {
  const said: string[] = []
  const say = (line: string) => said.push(line)
  return { code: await writeDifference(root, { name, isDrop }, say, say), said }
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

describe('a migration that npm run schema -- diff wrote', () => {
  let root: string
  beforeAll(async () => {
    root = copyTree()
    // The tables of this domain are new to the migration.
    rmSync(join(root, 'supabase/schemas', NEW), { recursive: true })
    writeBaseline(root)
    const core = await open(root, true)
    const made = await core.database.query<{ name: string }>(
      `select format('constraint %s on %s.%s', k.conname, n.nspname, c.relname) as name
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('public', 'app') and k.contype in ('c', 'f', 'p', 'u', 'x')`,
    )
    await core.close()
    await loadParser()
    const { objects } = readObjects(schemaFiles(root), 'schemas')
    const read = [...objects.values()]
      .filter(({ kind }) => kind === 'constraint')
      .map(({ identity }) => identity)
    // app.keep_hidden() and app.keep_search_apart() make tables with keys and checks of their own.
    const written = made
      .map(({ name }) => name)
      .filter((name) => !/ on (?:\S+_hidden_\w+|app\.tickets_search)$/.test(name))
    expect(read.sort()).toEqual(written.sort())
  })

  it('takes a database to what the schemas say', async () => {
    expect(await write(root, 'nothing')).toEqual({
      code: 0,
      said: ['The migrations make what the schemas say'],
    })

    cpSync(join(ROOT, 'supabase/schemas', NEW), join(root, 'supabase/schemas', NEW), { recursive: true })
    change(
      root,
      '02_permissions/functions.sql',
      'return array[found.role];',
      'return array[found.role]::text[];',
    )
    change(
      root,
      '02_permissions/functions.sql',
      "'The caller''s roles with all they inherit from.'",
      "'Roles of the caller, and theirs.'",
    )
    change(
      root,
      '02_permissions/functions.sql',
      'app.can(resource text, action text)',
      'app.can(object text, action text)',
    )
    change(
      root,
      '02_permissions/functions.sql',
      'app.allows(app.held_roles(), resource, action)',
      'app.allows(app.held_roles(), object, action)',
    )
    change(
      root,
      '06_devices/tables.sql',
      '  unique (company_id, name),\n',
      `  color text not null default 'gray' check (length(color) <= 20),
  unique (company_id, name),
  constraint groups_color_known check (color in ('gray', 'blue')),
`,
    )
    change(root, '06_devices/tables.sql', 'length(description) <= 2000', 'length(description) <= 3000')
    change(
      root,
      '06_devices/tables.sql',
      'on public.groups (name_key, id);',
      'on public.groups (name_key, id) where color is not null;',
    )
    change(root, '06_devices/policies.sql', /create policy groups_delete_member[^;]*;\n/, '')
    change(
      root,
      '06_devices/policies.sql',
      'create policy tags_delete_member',
      `create policy tags_select_gray on public.tags as restrictive for select to authenticated
  using (name <> 'gray');
create policy tags_delete_member`,
    )
    change(
      root,
      '06_devices/triggers.sql',
      "select app.keep_tenant('public.tags'",
      `create trigger tags_again before insert on public.tags for each row execute function app.touch_time();
select app.keep_tenant('public.tags'`,
    )
    change(
      root,
      '03_people/functions.sql',
      'r.version, p.name_key',
      'r.version, p.updated_at as named_at, p.name_key',
    )

    const [refused] = (await write(root, 'paint_groups')).said
    expect(refused).toMatch(
      /policy groups_delete_member on public\.groups is in no file of supabase\/schemas\./,
    )
    const { code, said } = await write(root, 'paint_groups', true)
    expect([code, ...said]).toEqual([
      0,
      expect.stringMatching(/^Wrote supabase\/migrations\/\d{14}_paint_groups\.sql: /),
    ])
    expect(await write(root, 'again')).toEqual({
      code: 0,
      said: ['The migrations make what the schemas say'],
    })

    const upgraded = await open(root, false)
    expect(upgraded.applied).toEqual([migrationFiles(root).at(-1)?.path.replace('supabase/migrations/', '')])
    const found = await schemaLines(upgraded.database.query)
    await upgraded.close()

    const anew = copyTree()
    cpSync(join(root, 'supabase/schemas'), join(anew, 'supabase/schemas'), { recursive: true })
    writeBaseline(anew)
    const made = await open(anew, true)
    const expected = await schemaLines(made.database.query)
    await made.close()
    expect(found.some((line) => line.includes('tags_select_gray'))).toBe(true)
    expect(schemaDifference(found, expected)).toEqual([])
  })
})

describe('npm run schema -- diff', () => {
  it('writes nothing when it cannot decide, and names the place', async () => {
    const root = copyTree()
    const before = migrationFiles(root)
    change(root, '06_devices/tables.sql', 'used_count integer', 'used_count bigint')
    change(root, '21_tick/rows.sql', "(10, 'gap', 'note_gap')", "(11, 'gap', 'note_gap')")
    const { code, said } = await write(root, 'count_more')
    expect(code).toBe(1)
    expect(said.map((line) => line.replace(/:\d+:/, ':'))).toEqual([
      `${before[0]?.path}: a row of app.tick_step is in no file of supabase/schemas. Write its delete or update by hand in a migration of its own, then run diff again.`,
      'supabase/schemas/06_devices/tables.sql: column used_count of public.enrollment_tokens changed its type. Write `alter table public.enrollment_tokens alter column used_count type … using …` by hand in a migration of its own, then run diff again.',
      'supabase/schemas/21_tick/rows.sql: a row of app.tick_step is new or changed. Write its insert, update or delete by hand in a migration of its own, then run diff again.',
      'Nothing was written.',
    ])
    expect(migrationFiles(root)).toEqual(before)
  })

  it('writes nothing when a file is broken or its name cannot be a file name', async () => {
    const root = copyTree()
    const before = migrationFiles(root)
    expect((await write(root, '../etc')).code).toBe(2)
    const stray = join(root, 'supabase/schemas/05_mail/views.sql')
    writeFileSync(stray, 'create view public.mails as select 1;')
    await expect(write(root, 'mail')).rejects.toThrow(
      'supabase/schemas/05_mail/views.sql is named by no path of schema_paths in supabase/config.toml.',
    )
    rmSync(stray)
    const loose = join(root, 'supabase/schemas/mails.sql')
    writeFileSync(loose, 'create view public.mails as select 1;')
    await expect(write(root, 'mail')).rejects.toThrow('supabase/schemas/mails.sql is in no folder')
    rmSync(loose)
    change(root, '05_mail/policies.sql', 'enable row level security;', 'enable row level;')
    expect(await write(root, 'mail')).toEqual({
      code: 1,
      said: ['supabase/schemas/05_mail/policies.sql:2: syntax error at or near ";". Mend the file first.'],
    })
    expect(migrationFiles(root)).toEqual(before)
  })
})
