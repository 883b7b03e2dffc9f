import { beforeAll, describe, expect, it } from 'vitest'
import { loadParser } from '../../../scripts/schema/parse'
import { readObjects, type Side } from '../../../scripts/schema/read'

beforeAll(loadParser)

const read = (side: Side, ...files: string[]) =>
  readObjects(
    files.map((sql, index) => ({ path: `${index + 1}.sql`, sql })),
    side,
  )

const names = (...migrations: string[]) => [...read('migrations', ...migrations).objects.keys()]

describe('a file that cannot be read', () => {
  it.each([
    [
      'is broken',
      'select 1;\n\ncreate table x (;',
      '1.sql:3: syntax error at or near ";". Mend the file first.',
    ],
    [
      'is broken behind letters of several bytes',
      "select 'ığüşöç';\n-- ığüşöç\nselect from from;",
      '1.sql:3: syntax error at or near "from". Mend the file first.',
    ],
    [
      'defines a function twice',
      'create function app.f() returns int language sql as $$ select 1 $$;\n-- Again.\ncreate function app.f() returns int language sql as $$ select 2 $$;',
      '1.sql:3: function app.f() has another definition in 1.sql:1. Keep one of the two.',
    ],
    [
      'defines a table twice',
      'create table public.t (a int);\ncreate table public.t (b int);',
      '1.sql:2: table public.t has another definition in 1.sql:1. Keep one of the two.',
    ],
    [
      'says a comment twice',
      "create table public.t (a int);\ncomment on table public.t is 'A.';\ncomment on table public.t is 'B.';",
      '1.sql:3: comment on table public.t is written in 1.sql:2, too. Keep one of the two.',
    ],
    [
      'drops in the schemas',
      'create table public.t (a int);\ndrop table public.t;',
      '1.sql:2: the schemas say what there is, so nothing is dropped in them. Delete the definition instead.',
    ],
    [
      'has a statement of an unknown kind',
      'create table public.t (a int);\n\nalter function app.f() stable;',
      '1.sql:3: this statement cannot be compared (AlterFunctionStmt). Write it as create and drop.',
    ],
    [
      'alters a column that nothing made',
      'create table public.t (a int);\nalter table public.t alter column b set not null;',
      '1.sql:2: no column b of public.t was made before. Write its name as it is there.',
    ],
    [
      'drops a constraint that nothing made',
      'create table public.t (a int);\nalter table public.t drop constraint t_b_check;',
      '1.sql:2: no constraint t_b_check of public.t was made before. Write its name as it is there.',
    ],
    [
      'alters a table in a way that has no place in the schemas',
      'create table public.t (a int);\nalter table public.t set (fillfactor = 70);',
      '1.sql:2: this alteration of public.t cannot be compared (AT_SetRelOptions). Write it as columns and constraints.',
    ],
  ])('because it %s names its line and what to do', (_why, sql, problem) => {
    expect(() => read('schemas', sql)).toThrow(problem)
  })
})

describe('the names of constraints', () => {
  it('are those that PostgreSQL gives', () => {
    const table = `create table public.t (
      id int primary key, a int check (a > 0) check (a < 9), b int unique references public.u (id),
      check (a <> b), check (true), unique (a, b), foreign key (a, b) references public.v (a, b));`
    expect(names(table).filter((each) => each.startsWith('constraint'))).toEqual(
      [
        't_pkey',
        't_a_check',
        't_a_check1',
        't_b_key',
        't_b_fkey',
        't_check',
        't_check1',
        't_a_b_key',
        't_a_b_fkey',
      ].map((name) => `constraint ${name} on public.t`),
    )
  })

  it('are cut to 63 bytes', () => {
    const [table, column] = ['long_name_of_a_table_with_many_words', 'long_name_of_a_column_with_many_words']
    expect(names(`create table public.${table} (${column} int check (${column} > 0));`)).toContain(
      `constraint long_name_of_a_table_with_ma_long_name_of_a_column_with_m_check on public.${table}`,
    )
  })
})

describe('migrations one after the other', () => {
  const TABLE = `create table public.t (a int, b text default 'x', constraint t_named check (a > 0));
create index t_b_idx on public.t (b);
create policy t_select on public.t using (a = 1);`

  it('lose what a dropped column takes along', () => {
    expect(names(TABLE, 'alter table public.t drop column b;')).toEqual([
      'table public.t',
      'column a of public.t',
      'constraint t_named on public.t',
      'policy t_select on public.t',
    ])
  })

  it('rename and drop columns in grants', () => {
    const grant = 'grant select (a), update (b) on public.t to authenticated;'
    const changes = 'alter table public.t rename column a to c; alter table public.t drop column b;'
    const found = read('migrations', TABLE, grant, changes)
    expect([...(found.get('grants on table public.t')?.privileges ?? [])]).toEqual([
      'authenticated select(c)',
    ])
  })

  it('make what is there already only once', () => {
    const again =
      'create index if not exists t_b_idx on public.t (a); create table if not exists public.t (z int);'
    expect(names(TABLE, again)).toEqual(names(TABLE))
  })

  it('keep the first definition of an extension that is asked for again', () => {
    const again = 'create extension if not exists btree_gist;'
    const found = read(
      'migrations',
      'create extension if not exists btree_gist with schema extensions;',
      again,
    )
    expect(found.get('extension btree_gist')?.file).toBe('1.sql')
  })

  it('know a trigger that takes the place of one that a call made', () => {
    const wanted =
      'create or replace trigger t_touch before update on public.t for each row execute function app.f();'
    const [change, make] = [read('migrations', TABLE, wanted), wanted.replace('or replace ', '')]
    const found = read('migrations', TABLE, `drop trigger t_touch on public.t; ${make}`)
    expect([...found.objects.keys()]).toEqual([...change.objects.keys()])
    expect(found.get('trigger t_touch on public.t')?.isOverride).toBe(true)
  })

  it('rename a table with all that is on it', () => {
    expect(names(TABLE, 'alter table public.t rename to u;')).toEqual([
      'table public.u',
      'column a of public.u',
      'column b of public.u',
      'constraint t_named on public.u',
      'index t_b_idx on public.u',
      'policy t_select on public.u',
    ])
  })

  it('rename a column without touching one of the same name elsewhere', () => {
    const other = "create table public.tags (a int);\ncomment on column public.tags.a is 'A.';"
    const found = names(TABLE, other, 'alter table public.t rename column a to c;')
    expect(found).toContain('column c of public.t')
    expect(found).toContain('comment on column a of public.tags')
  })

  it('rename indexes, policies, constraints, triggers and functions', () => {
    const more = `create function app.f() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger t_fire after insert on public.t for each row execute function app.f();`
    const renames = `alter index public.t_b_idx rename to t_c_idx;
alter policy t_select on public.t rename to t_read;
alter table public.t rename constraint t_named to t_other;
alter trigger t_fire on public.t rename to t_blow;
alter function app.f() rename to g;`
    const found = read('migrations', TABLE, more, renames)
    expect([...found.objects.keys()].slice(3)).toEqual([
      'constraint t_other on public.t',
      'index t_c_idx on public.t',
      'policy t_read on public.t',
      'function app.g()',
      'trigger t_blow on public.t',
    ])
    expect(found.get('trigger t_blow on public.t')?.print).toContain('{"String":{"sval":"g"}}')
  })

  it('drop the triggers of a function that is dropped with cascade', () => {
    const more = `create function app.f() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger t_fire after insert on public.t for each row execute function app.f();`
    expect(names(TABLE, more, 'drop function app.f() cascade;')).toEqual(names(TABLE))
  })

  it('change a policy in place', () => {
    const found = read('migrations', TABLE, 'alter policy t_select on public.t using (a = 2);')
    const wanted = read('migrations', TABLE.replace('a = 1', 'a = 2'))
    const identity = 'policy t_select on public.t'
    expect(found.get(identity)?.print).toBe(wanted.get(identity)?.print)
  })

  it('leave permission lines to their own command', () => {
    const model = readObjects(
      [{ path: 'supabase/migrations/20261127020000_fill_policies.sql', sql: 'not even SQL' }],
      'migrations',
    )
    expect(model.objects.size).toBe(0)
  })
})
