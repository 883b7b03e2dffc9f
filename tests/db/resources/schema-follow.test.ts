import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { renderCreate } from '../../../scripts/resource/migration/create'
import { planTable } from '../../../scripts/resource/migration/plan'
import { differences, followMigration } from '../../../scripts/schema/command'
import { renderBaseline, schemaFiles } from '../../../scripts/schema/files'
import { follow } from '../../../scripts/schema/follow'
import { openCore } from '../../../supabase/embedded/core'
import { generateKeys } from '../../../supabase/embedded/keys'
import { schemaDifference, schemaLines } from '../../support/schema-lines'
import { DEFAULTS, type Fields, number, RULES, TYPES, text } from '../support/change-cases'
import { changesFor, define, find, openChangeDesk, scratch } from '../support/change-desk'

const ROOT = resolve(import.meta.dirname, '../../..')
const FOLDER = 'supabase/schemas/90_resources'

openChangeDesk()

let root: string
let count = 0
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'konsol-follow-'))
  for (const name of ['config.toml', 'migrations', 'schemas'])
    cpSync(join(ROOT, 'supabase', name), join(root, 'supabase', name), { recursive: true })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const read = (path: string) => readFileSync(join(root, path), 'utf8')
const write = (path: string, sql: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), sql)
}

/** Applies a migration to the database, writes it, and lets the schemas follow. Returns the paths that changed. */
async function migrate(sql: string): Promise<string[]> {
  await scratch.run(sql)
  const path = `supabase/migrations/2999010100${String(++count).padStart(4, '0')}_change.sql`
  const { files, problems } = await follow(root, [{ path, sql }])
  expect(problems).toEqual([])
  write(path, sql)
  for (const [file, text] of files) {
    if (text === null) rmSync(join(root, file))
    else write(file, text)
  }
  expect(await differences(root)).toEqual([])
  return [...files.keys()]
}

const numbered = (fields: Fields, index: number): [string, Field][] =>
  Object.entries(fields).map(([name, field]) => [
    `${name}${index}`,
    JSON.parse(
      JSON.stringify(field)
        .replace('$record.a', `$record.a${index}`)
        .replace('"when":{"a"', `"when":{"a${index}"`),
    ) as Field,
  ])
const merged = (all: readonly Fields[]): Fields => Object.fromEntries(all.flatMap(numbered))

const create = (definition: Definition) => migrate(renderCreate(planTable(definition, find), 'Things.'))
const change = async (definition: Definition, drop = false) =>
  migrate((await changesFor(definition, drop)).statements.join('\n'))

describe('the schemas follow what the resource commands do', () => {
  it.each<[string, Fields, Fields]>([
    ['rule', merged(RULES.map(([, each]) => each)), merged(RULES.map(([, , each]) => each))],
    ['default', merged(DEFAULTS.map(([, each]) => each)), merged(DEFAULTS.map(([, , each]) => each))],
    ['type', merged(TYPES.map(([each]) => ({ a: each }))), merged(TYPES.map(([, each]) => ({ a: each })))],
  ])('where a table is made and every %s of it changes, there and back', async (kind, before, after) => {
    const name = `follow_${kind}s`
    const [path = ''] = await create(define(name, before))
    expect(path).toMatch(new RegExp(`^${FOLDER}/\\d{3}_${name}\\.sql$`))
    expect(await change(define(name, after))).toEqual([path])
    if (kind !== 'type') expect(await change(define(name, before))).toEqual([path])
    expect(await change(define(name, { a: text }), true)).toEqual([path])
  })

  it('with columns in the table of the product that they belong to, and nothing else changes', async () => {
    const path = 'supabase/schemas/06_devices/tables.sql'
    const before = read(path)
    const policies = read('supabase/schemas/06_devices/policies.sql')
    await migrate(`alter table public.groups add column color text not null default 'gray' check (length(color) <= 20);
alter table public.groups add constraint groups_color_known check (color <> 'red');
create index groups_color_idx on public.groups (company_id, color);
grant insert (color), update (color) on public.groups to authenticated;`)
    const changed = read(path)
    const lines = changed.split('\n').filter((line) => !before.split('\n').includes(line))
    expect(lines).toEqual([
      "  color text not null default 'gray' check (length(color) <= 20),",
      expect.stringMatching(/^ {2}.*,$|^ {2}constraint groups_color_known check \(color <> 'red'\)$/),
      ...(lines.length > 3 ? [expect.stringContaining('groups_color_known')] : []),
      'create index groups_color_idx on public.groups (company_id, color);',
    ])
    await migrate(`revoke insert (color), update (color) on public.groups from authenticated;
drop index public.groups_color_idx;
alter table public.groups drop constraint groups_color_known;
alter table public.groups drop column color;`)
    expect(read(path)).toBe(before)
    expect(read('supabase/schemas/06_devices/policies.sql').replace(/\s+/g, ' ')).toBe(
      policies.replace(/\s+/g, ' '),
    )
  })

  it('with a key to a later table behind that table, and comments that no command wrote stay', async () => {
    const [first = ''] = await create(define('follow_racks', { name: text, height: number }))
    const [second = ''] = await create(define('follow_rooms', { name: text }))
    expect(first < second).toBe(true)
    write(first, read(first).replace('  version integer', '  -- Counted by hand.\n  version integer'))
    await migrate(`alter table public.follow_racks add column room_id uuid;
alter table public.follow_racks add foreign key (company_id, room_id) references public.follow_rooms (company_id, id);`)
    expect(read(first)).toContain('\n  room_id uuid,\n')
    expect(read(second)).toContain(
      'alter table public.follow_racks add foreign key (company_id, room_id) references public.follow_rooms (company_id, id);',
    )
    await migrate('alter table public.follow_racks drop column height;')
    expect(read(first)).toContain('\n  -- Counted by hand.\n  version integer')
    expect(read(first)).not.toContain('height')
  })

  it('with a trigger in the place of one that a call made', async () => {
    const path = 'supabase/schemas/06_devices/triggers.sql'
    await migrate(`drop trigger groups_touch on public.groups;
create trigger groups_touch before update on public.groups for each row execute function app.touch('name');`)
    expect(read(path)).toContain('create or replace trigger groups_touch before update on public.groups')
  })

  it('with a function and a view of a migration written by hand', async () => {
    const [own = ''] = await create(define('follow_lamps', { name: text }))
    const path = 'supabase/migrations/29990101001000_light.sql'
    const sql = `create function public.light_follow_lamps(ids uuid[]) returns integer
  language sql set search_path = '' as $$ select cardinality(ids) $$;
revoke execute on function public.light_follow_lamps(uuid[]) from public, anon;
create view public.dark_lamps with (security_invoker = true) as select id, name from public.follow_lamps;
grant select on public.dark_lamps to authenticated;
`
    await scratch.run(sql)
    write(path, sql)
    const said: string[] = []
    const say = (line: string) => said.push(line)
    expect(await followMigration(root, undefined, say, say)).toBe(0)
    const view = own.replace(
      /\d{3}_.*/,
      (name) => `${String(Number(name.slice(0, 3)) + 1).padStart(3, '0')}_dark_lamps.sql`,
    )
    expect(said).toEqual([`wrote ${own}`, `wrote ${view}`])
    expect(await differences(root)).toEqual([])
    expect(await followMigration(root, path, say, say)).toBe(0)
    expect(said.at(-1)).toBe(`supabase/schemas has what ${path} does`)
    expect(await followMigration(root, 'nothing.sql', say, say)).toBe(1)
  })

  it('so that a database made from them is the one that the migrations make', async () => {
    const anew = mkdtempSync(join(tmpdir(), 'konsol-anew-'))
    mkdirSync(join(anew, 'supabase/migrations'), { recursive: true })
    writeFileSync(
      join(anew, 'supabase/migrations/29990101000000_baseline.sql'),
      renderBaseline(schemaFiles(root)),
    )
    const core = await openCore({
      root: anew,
      pgliteUrl: 'memory://',
      blank: true,
      demo: false,
      keys: generateKeys(),
      siteUrl: 'http://localhost',
      mail: { send: async () => undefined },
      log: () => undefined,
    })
    const made = await schemaLines(core.database.query)
    await core.close()
    rmSync(anew, { recursive: true, force: true })
    expect(made.some((line) => line.includes('follow_rooms'))).toBe(true)
    expect(schemaDifference(made, await schemaLines(scratch.query))).toEqual([])
  })

  it('or say by file and line what is left to be written by hand', async () => {
    const [path = ''] = await create(define('follow_boards', { name: text }))
    write(path, read(path).replace('  version integer', '  shade text,\n  version integer'))
    const { problems } = await follow(root, [
      {
        path: 'supabase/migrations/29990102000000_x.sql',
        sql: 'alter table public.follow_boards drop column size;\nalter table public.follow_boards alter column size set not null;',
      },
    ])
    expect(problems).toEqual([
      'supabase/schemas does not follow: supabase/migrations/29990102000000_x.sql:2: no column size of public.follow_boards was made before. Write its name as it is there.',
    ])
    expect(await differences(root)).toEqual([
      expect.stringMatching(new RegExp(`^${path}:\\d+: column shade of public.follow_boards$`)),
    ])
  })
})
