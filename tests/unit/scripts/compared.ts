import { expect } from 'vitest'
import { difference } from '../../../scripts/schema/diff'
import { showProblem } from '../../../scripts/schema/parse'
import { readObjects } from '../../../scripts/schema/read'

/** Compares the text of a schema file with those of migrations. */
export const compared = (wanted: string, ...made: string[]) =>
  difference(
    readObjects([{ path: 'schemas/tables.sql', sql: wanted }], 'schemas'),
    readObjects(
      made.map((sql, index) => ({ path: `migrations/${index + 1}.sql`, sql })),
      'migrations',
    ),
  )

export function statements(wanted: string, ...made: string[]): string[] {
  const { statements: found, problems } = compared(wanted, ...made)
  expect(problems).toEqual([])
  return found
}

export const problems = (wanted: string, ...made: string[]) =>
  compared(wanted, ...made).problems.map(showProblem)

export const FOLD = `create function app.fold(t text) returns text
  language sql immutable as $$ select lower(t) $$;
comment on function app.fold(text) is 'A key.';
grant execute on function app.fold(text) to authenticated;`

export const GROUPS = `create table public.groups (
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

export const changed = (text: string, from: string, to: string) => {
  expect(text).toContain(from)
  return text.replace(from, to)
}
