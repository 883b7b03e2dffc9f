import type { TablePlan } from './plan'
import { literal, quotedBody } from './sql'

/**
 * A row trigger for fields that need a permission of their own. It runs as the caller: the server's own work is not
 * asked, and a value that stays as it was is nobody's change.
 */
export function renderGuards({ table, guards }: Pick<TablePlan, 'table' | 'guards'>): string {
  if (guards.length === 0) return ''
  const conditions = guards.map(
    ({
      column,
      object,
      verb,
      startsAs,
    }) => `  if (tg_op = 'INSERT' and new.${column} is distinct from ${startsAs})
    or (tg_op = 'UPDATE' and new.${column} is distinct from old.${column}) then
    perform app.require(${literal(object)}, ${literal(verb)});
  end if;`,
  )
  const body = `
begin
  if current_user not in ('anon', 'authenticated') then
    return new;
  end if;
${conditions.join('\n')}
  return new;
end `
  return `create function app.guard_${table}() returns trigger
  language plpgsql set search_path = '' as ${quotedBody(body)};
comment on function app.guard_${table}() is
  'Row trigger: changing ${guards.map(({ column }) => column).join(', ')} takes a permission of its own.';
create trigger ${table}_guard before insert or update on public.${table}
  for each row execute function app.guard_${table}();`
}

/** Accounts carry no company, so no foreign key can hold a person to that of the row: a trigger does. */
export function renderPeople({ table, people }: Pick<TablePlan, 'table' | 'people'>): string {
  if (people.length === 0) return ''
  const conditions = people.map(
    (column) => `  if new.${column} is not null and not exists (
    select 1 from public.user_roles r
    where r.user_id = new.${column} and (r.company_id = new.company_id or r.role = 'Super Admin')
  ) then
    if is_foreign then
      raise exception using errcode = '42501', message = 'new row violates row-level security policy for table "${table}"';
    end if;
    raise exception using errcode = '23503', message = 'insert or update on table "${table}" violates foreign key constraint "${table}_${column}_fkey"',
      detail = 'Key (${column}) is not present in the company.';
  end if;`,
  )
  return `create function app.check_people_of_${table}() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  -- Row-level security asks after this. Of another company, both answer the same, whether or not somebody belongs to it.
  is_foreign constant boolean := app.current_user_id() is not null
    and not (app.sees_all() or coalesce(new.company_id = app.own_company(), false));
begin
${conditions.join('\n')}
  return new;
end $$;
comment on function app.check_people_of_${table}() is
  'Row trigger: ${people.join(', ')} name somebody of the row''s company, or a Super Admin. Definer, because the caller may not read every role.';
create trigger ${table}_people before insert or update of ${['company_id', ...people].join(', ')} on public.${table}
  for each row execute function app.check_people_of_${table}();`
}
