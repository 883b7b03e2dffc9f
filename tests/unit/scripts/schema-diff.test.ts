import { beforeAll, describe, expect, it } from 'vitest'
import { loadParser } from '../../../scripts/schema/parse'
import { renderMigration } from '../../../scripts/schema/render'
import { changed, compared, FOLD, GROUPS, problems, statements } from './compared'

beforeAll(loadParser)

describe('a function', () => {
  it('is replaced when its body changes, and keeps its comment and grants', () => {
    expect(statements(changed(FOLD, 'lower(t)', 'upper(t)'), FOLD)).toEqual([
      'create or replace function app.fold(t text) returns text\n  language sql immutable as $$ select upper(t) $$;',
    ])
  })

  it('is the same in another layout, with other comments around it', () => {
    const other = changed(FOLD, '\n  language sql', ' language sql').replace('create', '-- A key.\ncreate')
    expect(statements(other, FOLD)).toEqual([])
  })

  it('gets its new comment or new grants alone', () => {
    expect(statements(changed(FOLD, 'A key', 'Another key'), FOLD)).toEqual([
      "comment on function app.fold(text) is 'Another key.';",
    ])
    expect(statements(changed(FOLD, 'to authenticated', 'to service_role'), FOLD)).toEqual([
      'revoke all on function app.fold(text) from public, authenticated;',
      'grant execute on function app.fold(text) to service_role;',
    ])
    expect(statements(FOLD.replace(/comment on.*\n/, '').replace(/grant.*/, ''), FOLD)).toEqual([
      'comment on function app.fold(text) is null;',
      'revoke all on function app.fold(text) from public, authenticated;',
    ])
  })

  it.each([
    ['its result', 'returns text', 'returns jsonb'],
    ['the name of an argument', 'app.fold(t text)', 'app.fold(value text)'],
  ])('is dropped and made with comment and grants when %s changes', (_what, from, to) => {
    const wanted = changed(FOLD, from, to)
    expect(statements(wanted, FOLD)).toEqual(['drop function app.fold(text);', ...wanted.split(/(?<=;)\n/)])
  })

  it('is dropped when a default of an argument is gone', () => {
    const made = changed(FOLD, 't text)', "t text default '')")
    expect(statements(FOLD, made)[0]).toBe('drop function app.fold(text);')
    expect(statements(made, FOLD)[0]).toMatch(/^create or replace function app\.fold\(t text default ''\)/)
  })

  it('is dropped and made when the types of its arguments change', () => {
    const wanted = FOLD.replaceAll('text)', 'varchar)')
    expect(statements(wanted, FOLD).slice(0, 2)).toEqual([
      'drop function app.fold(text);',
      'create function app.fold(t varchar) returns text\n  language sql immutable as $$ select lower(t) $$;',
    ])
  })

  it('is dropped when it is gone', () => {
    expect(statements('', FOLD)).toEqual(['drop function app.fold(text);'])
  })

  it('takes policies that call it along when it has to be dropped', () => {
    const can = 'create function app.can(a text, b text) returns boolean language sql as $$ select true $$;\n'
    const made = can + GROUPS
    const found = statements(changed(made, 'a text, b text', 'resource text, b text'), made)
    const policy = GROUPS.slice(GROUPS.indexOf('create policy'))
    expect(found).toEqual([
      'drop policy groups_select on public.groups;',
      'drop function app.can(text, text);',
      'create function app.can(resource text, b text) returns boolean language sql as $$ select true $$;',
      policy,
    ])
  })

  it('cannot be dropped under a column that it generates', () => {
    const table =
      'create table public.tags (name text, key text generated always as (app.fold(name)) stored);'
    const made = `${FOLD}\n${table}`
    expect(problems(changed(made, 'app.fold(t text)', 'app.fold(value text)'), made)).toEqual([
      'schemas/tables.sql:5: column key of public.tags uses function app.fold(text), which has to be dropped. Write the drop of both and what makes them again by hand in a migration of its own, then run diff again.',
    ])
  })

  it('cannot go while something calls it', () => {
    const can = 'create function app.can(a text, b text) returns boolean language sql as $$ select true $$;\n'
    expect(problems(GROUPS, can + GROUPS)).toEqual([
      'schemas/tables.sql:13: policy groups_select on public.groups uses function app.can(text, text), which is in no file of supabase/schemas. Take one of the two out.',
    ])
  })
})

describe('a call that keeps a table', () => {
  const KEPT = `create table public.tags (id uuid);
select app.keep_audit('public.tags');`

  it('is written when it is new', () => {
    expect(statements(KEPT, 'create table public.tags (id uuid);')).toEqual([
      "select app.keep_audit('public.tags');",
    ])
  })

  it('is refused when it changed or is gone, until its triggers are dropped', () => {
    expect(problems(changed(KEPT, "tags')", "tags', 'id')"), KEPT)).toEqual([
      'schemas/tables.sql:2: the call of keep_audit for public.tags changed. Write the drop of its triggers and the new call by hand in a migration of its own, then run diff again.',
    ])
    const wanted = 'create table public.tags (id uuid);'
    expect(problems(wanted, KEPT)).toEqual([
      'migrations/1.sql:2: keep_audit of public.tags is in no file of supabase/schemas. Write the drop of the triggers that it made by hand in a migration of its own, then run diff again, or take the call back.',
    ])
    const byHand = ['insert', 'update', 'delete']
      .map((event) => `drop trigger tags_audit_${event} on public.tags;`)
      .join('\n')
    expect(statements(wanted, KEPT, byHand)).toEqual([])
  })

  it('loses a trigger that the schemas drop', () => {
    const wanted = `${KEPT}\n-- Nobody asks who made a tag.\ndrop trigger tags_audit_insert on public.tags;`
    expect(statements(wanted, KEPT)).toEqual([
      '-- Nobody asks who made a tag.\ndrop trigger tags_audit_insert on public.tags;',
    ])
  })
})

describe('what goes with a function', () => {
  it('is known however a type is written', () => {
    const made = `create table public.tags (id uuid);
create function app.f(t public.tags, n integer) returns text language sql as $$ select '' $$;`
    const wanted = `${made}\ngrant execute on function app.f(tags, int) to authenticated;`
    expect(statements(changed(wanted, 'returns text', 'returns varchar'), made)).toEqual([
      'drop function app.f(tags, int4);',
      "create function app.f(t public.tags, n integer) returns varchar language sql as $$ select '' $$;",
      'grant execute on function app.f(tags, int) to authenticated;',
    ])
  })
})

describe('a migration', () => {
  it('has its title, its blocks apart, and comments right below their objects', () => {
    const wanted = `${changed(FOLD, 'A key', 'Another key').replace('lower(t)', 'upper(t)')}\n${GROUPS}`
    const [, , ...lines] = renderMigration('fold_again', statements(wanted, `${FOLD}\n${GROUPS}`)).split('\n')
    expect(lines).toEqual([
      'set check_function_bodies = off;',
      '',
      'create or replace function app.fold(t text) returns text',
      '  language sql immutable as $$ select upper(t) $$;',
      "comment on function app.fold(text) is 'Another key.';",
      '',
    ])
  })

  it('keeps what belongs together without an empty line', () => {
    const text = renderMigration('groups', [...statements(GROUPS, '')])
    expect(text).toBe(
      `-- Groups.\n\n${GROUPS}\n`
        .replace('create index', '\ncreate index')
        .replace('create trigger', '\ncreate trigger')
        .replace('revoke', '\nrevoke'),
    )
  })

  it('lists what differs by file and line', () => {
    const { found } = compared(changed(GROUPS, "'list'", "'show'"), GROUPS)
    expect(found.map(({ file, line, identity }) => `${file}:${line}: ${identity}`)).toEqual([
      'schemas/tables.sql:13: policy groups_select on public.groups',
    ])
  })
})

describe('an object that only a migration has', () => {
  const gone = (wanted: string, ...made: string[]) =>
    compared(wanted, ...made).gone.map(({ file, line, identity }) => `${file}:${line} ${identity}`)

  it('is named with its place before a command may drop it', () => {
    expect(gone(GROUPS, GROUPS, FOLD)).toEqual(['migrations/2.sql:1 function app.fold(text)'])
    expect(
      gone(changed(GROUPS, 'create index groups_name_idx on public.groups (name);', ''), GROUPS),
    ).toEqual(['migrations/1.sql:8 index groups_name_idx on public.groups'])
  })

  it('is not a function that has other arguments now', () => {
    expect(
      gone(
        changed(FOLD, 'app.fold(t text)', 'app.fold(t name)').replaceAll('fold(text)', 'fold(name)'),
        FOLD,
      ),
    ).toEqual([])
  })
})

it('an object of a table that no file makes is refused, with its place', () => {
  expect(
    problems(`${GROUPS}\ncreate policy all_of on public.nothing for select using (true);`, GROUPS),
  ).toEqual([
    'schemas/tables.sql:14: policy all_of on public.nothing is of table public.nothing, which is in no file of supabase/schemas. Take one of the two out.',
  ])
})
