import { beforeAll, describe, expect, it } from 'vitest'
import { loadParser, showProblem } from '../../../scripts/schema/parse'
import { renderMigration } from '../../../scripts/schema/render'
import { changed, compared, GROUPS, problems, statements } from './compared'

beforeAll(loadParser)

describe('a table', () => {
  it('is written whole with all that goes with it when it is new', () => {
    expect(statements(GROUPS, '').join('\n')).toBe(GROUPS)
  })

  it.each([
    [
      'a new column',
      '  unique (name)',
      '  -- Its place in lists.\n  rank integer not null default 0 check (rank >= 0),\n  unique (name)',
      [
        '-- Its place in lists.\nalter table public.groups add column rank integer not null default 0 check (rank >= 0);',
      ],
    ],
    [
      'a new constraint',
      '  unique (name)',
      "  unique (name),\n  constraint groups_named check (name <> '')",
      ["alter table public.groups add constraint groups_named check (name <> '');"],
    ],
    [
      'a changed check beside a column',
      '<= 120',
      '<= 200',
      [
        'alter table public.groups drop constraint groups_name_check;',
        'alter table public.groups add constraint groups_name_check check (length(name) <= 200);',
      ],
    ],
    [
      'a changed foreign key beside a column',
      'on delete set null',
      'on delete cascade',
      [
        'alter table public.groups drop constraint groups_owner_id_fkey;',
        'alter table public.groups add constraint groups_owner_id_fkey foreign key (owner_id) references public.people (id) on delete cascade;',
      ],
    ],
    [
      'a constraint that is gone',
      ',\n  unique (name)',
      '',
      ['alter table public.groups drop constraint groups_name_key;'],
    ],
    [
      'a new default',
      'text not null',
      "text not null default 'New'",
      ["alter table public.groups alter column name set default 'New';"],
    ],
    [
      'a column that may be empty',
      'text not null',
      'text',
      ['alter table public.groups alter column name drop not null;'],
    ],
    [
      'a column that may not be empty',
      'uuid references',
      'uuid not null references',
      ['alter table public.groups alter column owner_id set not null;'],
    ],
    [
      'a changed comment',
      'Sets of',
      'Named sets of',
      ["comment on table public.groups is 'Named sets of devices.';"],
    ],
    [
      'changed grants',
      'grant select on',
      'grant select, delete on',
      [
        'revoke all on table public.groups from public, authenticated;',
        'grant select, delete on public.groups to authenticated;',
      ],
    ],
    [
      'a changed index',
      'public.groups (name);',
      'public.groups (name, id);',
      ['drop index public.groups_name_idx;', 'create index groups_name_idx on public.groups (name, id);'],
    ],
    [
      'a changed trigger',
      'before update on',
      'before insert or update on',
      [
        'create or replace trigger groups_touch before insert or update on public.groups for each row execute function app.touch();',
      ],
    ],
    ['a trigger that is gone', /create trigger.*\n/, '', ['drop trigger groups_touch on public.groups;']],
    [
      'a changed policy',
      "'list'",
      "'show'",
      [
        'drop policy groups_select on public.groups;',
        "create policy groups_select on public.groups for select to authenticated using (app.can('groups', 'show'));",
      ],
    ],
    ['a policy that is gone', /create policy.*/, '', ['drop policy groups_select on public.groups;']],
  ])('with %s gets it', (_what, from, to, expected) => {
    const wanted = GROUPS.replace(from, to)
    expect(wanted).not.toBe(GROUPS)
    expect(statements(wanted, GROUPS)).toEqual(expected)
    const migrated = renderMigration('change', expected)
    expect(statements(wanted, GROUPS, migrated)).toEqual([])
  })

  it.each([
    [
      'a column that changed its type',
      'owner_id uuid',
      'owner_id text',
      'schemas/tables.sql:4: column owner_id of public.groups changed its type. Write `alter table public.groups alter column owner_id type … using …` by hand in a migration of its own, then run diff again.',
      'alter table public.groups alter column owner_id type text using owner_id::text;',
    ],
    [
      'a column that is gone',
      /, *\n {2}owner_id.*null/,
      '',
      'migrations/1.sql:4: column owner_id of public.groups is in no file of supabase/schemas. Its values would be lost: write `alter table public.groups drop column owner_id`, or `alter table public.groups rename column owner_id to …` where it has a new name, by hand in a migration of its own, then run diff again.',
      'alter table public.groups drop column owner_id;',
    ],
    [
      'a new column that rows have no value for',
      '  unique (name)',
      '  rank integer not null,\n  unique (name)',
      'schemas/tables.sql:5: column rank of public.groups is new, not null and has no default, so existing rows have no value for it. Give it a default here, or write its `alter table` with the values of existing rows by hand in a migration of its own, then run diff again.',
      'alter table public.groups add column rank integer; update public.groups set rank = 1; alter table public.groups alter column rank set not null;',
    ],
  ])('with %s is refused, until a migration by hand does it', (_what, from, to, problem, byHand) => {
    const wanted = GROUPS.replace(from, to)
    const { problems: found } = compared(wanted, GROUPS)
    expect(found.map(showProblem)).toEqual([problem])
    expect(statements(wanted, GROUPS, byHand)).toEqual([])
  })

  it('is refused when only the migrations have it, until one drops it', () => {
    expect(problems('', GROUPS)).toEqual([
      'migrations/1.sql:1: table public.groups is in no file of supabase/schemas. Its rows would be lost: write `drop table public.groups` by hand in a migration of its own, then run diff again, or take its definition back.',
    ])
    expect(statements('', GROUPS, 'drop table public.groups;')).toEqual([])
  })
})

describe('a column with a new name', () => {
  it('is refused, until a migration renames it in all that names it', () => {
    const renamed = GROUPS.replaceAll(/\bname\b(?! *text)/g, 'title').replace('name text', 'title text')
    const wanted = renamed.replace(
      '  unique (title)',
      '  unique (title),\n  constraint groups_known check (true)',
    )
    const [lost] = problems(wanted, GROUPS)
    expect(lost).toContain('rename column name to …')
    const byHand = `alter table public.groups rename column name to title;
alter table public.groups rename constraint groups_name_check to groups_title_check;
alter table public.groups rename constraint groups_name_key to groups_title_key;`
    expect(statements(wanted, GROUPS, byHand)).toEqual([
      'alter table public.groups add constraint groups_known check (true);',
    ])
  })
})

describe('a view', () => {
  const VIEW = `create view public.users as select p.id, p.name from public.people p;
comment on view public.users is 'People.';
create trigger users_write instead of insert on public.users for each row execute function app.write();
create function public.search_users(q text) returns setof public.users language sql as $$ select * from public.users $$;`

  it('is replaced when columns are added at its end', () => {
    expect(statements(changed(VIEW, 'p.name', 'p.name, p.email'), VIEW)).toEqual([
      'create or replace view public.users as select p.id, p.name, p.email from public.people p;',
    ])
  })

  it('is dropped and made with all that is on it when a column is another', () => {
    const wanted = changed(VIEW, 'p.name', 'p.email')
    expect(statements(wanted, VIEW)).toEqual([
      'drop function public.search_users(text);',
      'drop view public.users;',
      ...wanted.split(/(?<=;)\n/),
    ])
  })
})

describe('what a database was filled with', () => {
  const STEPS = `create table app.step (position integer, name text);
insert into app.step (position, name) values (10, 'gap'), (20, 'presence');`

  it('is refused when a row is new or gone, until a migration writes it', () => {
    const wanted = changed(STEPS, "(20, 'presence')", "(30, 'mail')")
    expect(problems(wanted, STEPS)).toEqual([
      'migrations/1.sql:2: a row of app.step is in no file of supabase/schemas. Write its delete or update by hand in a migration of its own, then run diff again.',
      'schemas/tables.sql:2: a row of app.step is new or changed. Write its insert, update or delete by hand in a migration of its own, then run diff again.',
    ])
    const byHand =
      "delete from app.step where name = 'presence'; insert into app.step (name, position) values ('mail', 30);"
    expect(statements(wanted, STEPS, byHand)).toEqual([])
    expect(
      statements(wanted, STEPS, "update app.step set name = 'mail', position = 30 where position = 20;"),
    ).toEqual([])
  })

  it('is written once with a new table', () => {
    expect(statements(STEPS, '')).toEqual(STEPS.split(/(?<=;)\n/))
  })

  it('does not count where the schemas name no row', () => {
    expect(
      statements(
        'create table app.log (at date);',
        "create table app.log (at date); insert into app.log (at) values ('today');",
      ),
    ).toEqual([])
  })
})
