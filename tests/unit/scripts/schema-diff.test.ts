import { beforeAll, describe, expect, it } from 'vitest'
import { difference } from '../../../scripts/schema/diff'
import { loadParser, showProblem } from '../../../scripts/schema/parse'
import { readObjects } from '../../../scripts/schema/read'
import { renderMigration } from '../../../scripts/schema/render'

beforeAll(loadParser)

/** Compares the text of a schema file with those of migrations. */
const compared = (wanted: string, ...made: string[]) =>
  difference(
    readObjects([{ path: 'schemas/tables.sql', sql: wanted }], 'schemas'),
    readObjects(
      made.map((sql, index) => ({ path: `migrations/${index + 1}.sql`, sql })),
      'migrations',
    ),
  )

function statements(wanted: string, ...made: string[]): string[] {
  const { statements: found, problems } = compared(wanted, ...made)
  expect(problems).toEqual([])
  return found
}

const problems = (wanted: string, ...made: string[]) => compared(wanted, ...made).problems.map(showProblem)

const FOLD = `create function app.fold(t text) returns text
  language sql immutable as $$ select lower(t) $$;
comment on function app.fold(text) is 'A key.';
grant execute on function app.fold(text) to authenticated;`

const GROUPS = `create table public.groups (
  id uuid primary key,
  name text not null check (length(name) <= 120),
  owner_id uuid references public.people (id) on delete set null,
  unique (name)
);
comment on table public.groups is 'Sets of devices.';
create index groups_name_idx on public.groups (name);
create trigger groups_touch before update on public.groups for each row execute function app.touch();
revoke all on public.groups from public, anon, authenticated;
grant select on public.groups to authenticated;
alter table public.groups enable row level security;
create policy groups_select on public.groups for select to authenticated using (app.can('groups', 'list'));`

const changed = (text: string, from: string, to: string) => {
  expect(text).toContain(from)
  return text.replace(from, to)
}

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
