-- Trash at once.

set check_function_bodies = off;

drop function app.each_trashed(regclass, uuid[], text);

create function app.write_trashed(own regclass, ids uuid[], act text, out written uuid[], out refused jsonb)
  language sql volatile set search_path = '' as $$
  select w.* from app.write_batch(
    case when act = 'restore' then format('select array_agg(r.id) from (select i.id, app.restore_row(%L::regclass, i.id) from unnest($1) as i (id)) r', own)
      else format('with d as (delete from %s t where t.id = any ($1) returning t.id) select array_agg(d.id) from d', own) end, ids, null) w
$$;
comment on function app.write_trashed(regclass, uuid[], text) is
  'Restores or deletes rows of the trash: all at once, or each on its own where one is refused. Granted to nobody.';

create or replace function public.restore_records(resource text, ids uuid[]) returns table (id uuid, outcome text, reason jsonb)
  language plpgsql volatile
  -- definer: nobody may take the mark off
  security definer set search_path = '' as $$
declare
  own constant regclass := app.trash_table(restore_records.resource);
  there constant uuid[] := app.trashed_rows(own, restore_records.ids);
  done record;
begin
  done := app.write_trashed(own, there, 'restore');
  return query select * from app.row_outcomes(ids, 'changed', done.written, there, '{}', done.refused, 'the record was not restored');
end $$;

create or replace function public.purge_records(resource text, ids uuid[]) returns table (id uuid, outcome text, reason jsonb)
  language plpgsql volatile
  -- definer: row-level security hides every row in the trash
  security definer set search_path = '' as $$
declare
  own constant regclass := app.trash_table(purge_records.resource);
  there constant uuid[] := app.trashed_rows(own, purge_records.ids);
  done record;
begin
  done := app.write_trashed(own, there, 'purge');
  return query select * from app.row_outcomes(ids, 'deleted', done.written, there, '{}', done.refused, 'the record was not deleted');
end $$;

create or replace function app.empty_trash() returns integer
  language plpgsql volatile set search_path = '' as $$
declare
  max_rows constant integer := 500;
  own regclass;
  old_ids uuid[];
  done record;
  removed integer := 0;
begin
  for own in
    select t.tgrelid::regclass from pg_catalog.pg_trigger t where t.tgfoid = 'app.move_to_trash()'::regprocedure order by t.tgrelid::regclass::text
  loop
    execute format('select array_agg(f.id) from (select t.id from %s t where t.deleted_at is not null and app.trash_ends(t.deleted_at) <= now() '
      || 'order by t.deleted_at, t.id limit %s for update skip locked) f', own, max_rows) into old_ids;
    continue when old_ids is null;
    -- A record that others hold stays until they have gone.
    done := app.write_trashed(own, old_ids, 'purge');
    removed := removed + cardinality(done.written);
  end loop;
  return removed;
end $$;
