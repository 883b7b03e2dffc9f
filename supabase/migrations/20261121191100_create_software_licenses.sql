-- Software licences: what a company is entitled to, against what stands on its devices.
--
-- `detected` is a counter. Counting while the list is read would go through hundreds of thousands of device_software rows
-- for each popular product on the page (50 licences over 100,000 devices: seconds); counting on every inventory would make
-- each check-in wait for the licence row of the one before it. So:
--   * software_license_titles says which titles a rule means; kept when the rule changes and when a title is new;
--   * a change of the rule counts that one licence at once, so that the form answers with the figure;
--   * an inventory that adds or removes such a title only leaves a note, in a table nobody waits for;
--   * app.tick() counts what has notes, and each licence once an hour besides: signed-in users change without a note.
-- The figure is therefore exact within a minute, and the list reads one column.

create table public.software_licenses (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  name text not null check (length(btrim(name)) between 1 and 200),
  publisher text check (length(publisher) <= 200),
  type text not null default 'device' check (type in ('device', 'user', 'site')),
  seats integer not null default 1 check (seats between 1 and 10000000),
  cost numeric(14, 2) check (cost >= 0),
  currency text not null default 'TRY' check (currency in ('TRY', 'EUR', 'USD', 'GBP')),
  purchased_on date,
  expires_on date,
  match_rule text check (length(match_rule) <= 200),
  detected integer check (detected >= 0),
  -- A site licence covers every device of its sites: never over-used, and nothing of it lies idle.
  available integer generated always as (case when type = 'site' then null else seats - detected end) stored,
  notes text check (length(notes) <= 10000),
  name_key text generated always as (app.sort_key(name)) stored,
  search text generated always as (app.fold(name || ' ' || coalesce(publisher, ''))) stored,
  created_by uuid references public.profiles (id) on delete set null,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  constraint software_licenses_expires_on_check check (expires_on >= purchased_on)
);
comment on table public.software_licenses is
  'Licences with their seats, cost and term. detected is counted from the inventory by match_rule, null without one; available is seats less detected.';
create index software_licenses_company_name_idx on public.software_licenses (company_id, name_key, id);
create index software_licenses_name_idx on public.software_licenses (name_key, id);
create index software_licenses_company_expires_idx on public.software_licenses (company_id, expires_on, id);
create index software_licenses_expires_idx on public.software_licenses (expires_on, id);
create index software_licenses_company_seats_idx on public.software_licenses (company_id, seats, id);
create index software_licenses_seats_idx on public.software_licenses (seats, id);
create index software_licenses_company_detected_idx on public.software_licenses (company_id, detected, id);
create index software_licenses_detected_idx on public.software_licenses (detected, id);
create index software_licenses_company_available_idx on public.software_licenses (company_id, available, id);
create index software_licenses_available_idx on public.software_licenses (available, id);
create index software_licenses_author_idx on public.software_licenses (created_by);

create table public.software_license_titles (
  company_id uuid not null references public.companies (id),
  license_id uuid not null,
  software_id uuid not null,
  primary key (company_id, license_id, software_id),
  foreign key (company_id, license_id) references public.software_licenses (company_id, id) on delete cascade,
  foreign key (company_id, software_id) references public.software (company_id, id) on delete cascade
);
comment on table public.software_license_titles is 'Which software titles the rule of a licence means. Kept by trigger from match_rule.';
create index software_license_titles_software_idx on public.software_license_titles (company_id, software_id);

create table app.license_counts (
  license_id uuid primary key,
  company_id uuid not null,
  counted_at timestamptz not null default now(),
  foreign key (company_id, license_id) references public.software_licenses (company_id, id) on delete cascade
);
comment on table app.license_counts is 'When the devices of a licence were last counted; apart, so that counting without a change writes no licence.';
create index license_counts_license_idx on app.license_counts (company_id, license_id);
create index license_counts_age_idx on app.license_counts (counted_at);

create table app.license_recounts (
  id bigint generated always as identity primary key,
  company_id uuid not null,
  license_id uuid not null
);
create index license_recounts_license_idx on app.license_recounts (license_id);
comment on table app.license_recounts is
  'Notes that a licence is to be counted again. Only ever added to, so that no check-in waits for another; app.tick() takes them.';
revoke all on app.license_counts, app.license_recounts from public, anon, authenticated;
alter table app.license_counts enable row level security;
alter table app.license_recounts enable row level security;

create function app.matching_titles(company uuid, rule text) returns uuid[]
  language plpgsql stable security definer set search_path = '' as $$
declare
  patterns text[] := app.search_patterns(rule);
begin
  if cardinality(patterns) = 0 then
    return '{}';
  end if;
  return array(select s.id from public.software s where s.company_id = matching_titles.company
               and s.search operator(pg_catalog.~~) all (patterns));
end $$;
comment on function app.matching_titles(uuid, text) is
  'The titles of a company whose name and publisher hold every word of a rule. Definer, because a trigger asks for whoever writes.';

create function app.count_license(company uuid, license_type text, titles uuid[]) returns integer
  language plpgsql stable security definer set search_path = '' as $$
begin
  if license_type = 'user' then
    -- A device at which nobody sits counts for itself.
    return (select count(distinct coalesce(nullif(lower(btrim(d.logged_in_user)), ''), d.id::text))
            from public.devices d
            where d.company_id = count_license.company and d.id in (
              select i.device_id from public.device_software i
              where i.company_id = count_license.company and i.software_id = any (titles)));
  end if;
  return (select count(distinct i.device_id) from public.device_software i
          where i.company_id = count_license.company and i.software_id = any (titles));
end $$;
comment on function app.count_license(uuid, text, uuid[]) is
  'On how many devices (or for how many signed-in users) any of these titles is installed. Definer, because a trigger asks for whoever writes.';

create function app.apply_match_rule() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  new.detected := case when cardinality(app.search_patterns(new.match_rule)) > 0 then
    app.count_license(new.company_id, new.type, app.matching_titles(new.company_id, new.match_rule)) end;
  return new;
end $$;
comment on function app.apply_match_rule() is
  'Row trigger on a new rule or type: counts this one licence at once. Definer, because detected is not a client''s to write.';
create trigger software_licenses_match_insert before insert on public.software_licenses
  for each row execute function app.apply_match_rule();
create trigger software_licenses_match_update before update on public.software_licenses for each row
  when ((old.match_rule, old.type) is distinct from (new.match_rule, new.type)) execute function app.apply_match_rule();

create function app.keep_license_titles() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  delete from public.software_license_titles t where t.company_id = new.company_id and t.license_id = new.id;
  insert into public.software_license_titles (company_id, license_id, software_id)
  select new.company_id, new.id, s.id from unnest(app.matching_titles(new.company_id, new.match_rule)) as s (id)
  on conflict do nothing;
  insert into app.license_counts (license_id, company_id) values (new.id, new.company_id)
  on conflict (license_id) do update set counted_at = excluded.counted_at;
  return null;
end $$;
comment on function app.keep_license_titles() is 'Row trigger: the titles a rule means. Definer, because nobody writes them by hand.';
create trigger software_licenses_titles_insert after insert on public.software_licenses
  for each row execute function app.keep_license_titles();
create trigger software_licenses_titles_update after update on public.software_licenses for each row
  when (old.match_rule is distinct from new.match_rule) execute function app.keep_license_titles();

create function app.match_new_titles() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.software_license_titles (company_id, license_id, software_id)
  select l.company_id, l.id, s.id
  from new_rows n
  join public.software_licenses l on l.company_id = n.company_id and l.match_rule is not null
  join public.software s on s.company_id = n.company_id and s.id = n.id
  where cardinality(app.search_patterns(l.match_rule)) > 0
    and s.search operator(pg_catalog.~~) all (app.search_patterns(l.match_rule))
  on conflict do nothing;
  return null;
end $$;
comment on function app.match_new_titles() is
  'Statement trigger on software: a title nobody had before joins the licences whose rule means it. Definer, because the agent functions write it.';
create trigger software_match_licenses after insert on public.software
  referencing new table as new_rows for each statement execute function app.match_new_titles();

create function app.note_license_changes() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    insert into app.license_recounts (company_id, license_id)
    select distinct t.company_id, t.license_id from new_rows n
    join public.software_license_titles t on t.company_id = n.company_id and t.software_id = n.software_id;
  else
    insert into app.license_recounts (company_id, license_id)
    select distinct t.company_id, t.license_id from old_rows o
    join public.software_license_titles t on t.company_id = o.company_id and t.software_id = o.software_id;
  end if;
  return null;
end $$;
comment on function app.note_license_changes() is
  'Statement trigger on device_software: notes which licences are to be counted again. Definer, because nobody may write the notes.';
create trigger device_software_licenses_insert after insert on public.device_software
  referencing new table as new_rows for each statement execute function app.note_license_changes();
create trigger device_software_licenses_delete after delete on public.device_software
  referencing old table as old_rows for each statement execute function app.note_license_changes();

create function app.count_licenses(most integer default 50) returns integer
  language plpgsql volatile security definer set search_path = '' as $$
declare
  due record;
  titles uuid[];
  found_now integer;
  changed integer := 0;
begin
  for due in
    select l.id, l.company_id, l.type, l.match_rule
    from app.license_counts c
    join public.software_licenses l on l.company_id = c.company_id and l.id = c.license_id
    where c.counted_at < now() - interval '1 hour'
      or exists (select 1 from app.license_recounts r where r.license_id = c.license_id)
    order by c.counted_at limit most for update of c skip locked
  loop
    -- The notes go first: what is added while we count leaves a note that stays.
    delete from app.license_recounts r where r.license_id = due.id;
    -- A title that came in the moment in which the rule changed was seen by neither trigger.
    titles := app.matching_titles(due.company_id, due.match_rule);
    insert into public.software_license_titles (company_id, license_id, software_id)
    select due.company_id, due.id, s.id from unnest(titles) as s (id)
    on conflict do nothing;
    found_now := case when cardinality(app.search_patterns(due.match_rule)) > 0 then
      app.count_license(due.company_id, due.type, titles) end;
    update public.software_licenses l set detected = found_now
    where l.company_id = due.company_id and l.id = due.id and l.detected is distinct from found_now;
    if found then
      changed := changed + 1;
    end if;
    update app.license_counts c set counted_at = now() where c.license_id = due.id;
  end loop;
  -- Notes of licences that are gone.
  delete from app.license_recounts r where r.id in (
    select x.id from app.license_recounts x
    where not exists (select 1 from app.license_counts c where c.license_id = x.license_id) limit 1000);
  return changed;
end $$;
comment on function app.count_licenses(integer) is
  'Counts again the licences that have notes or were last counted an hour ago, at most 50 a call; safe to run many times at once. '
  'Definer, because nobody may write detected. Granted to nobody.';

create or replace function app.tick() returns jsonb
  language plpgsql volatile security definer set search_path = '' as $$
declare
  heard_since timestamptz := '-infinity';
  step text;
  moved integer;
  done jsonb := '{}';
begin
  foreach step in array array['gap', 'presence', 'licences', 'tokens', 'schedules', 'runs', 'software_licenses', 'notifications', 'demo', 'retention'] loop
    begin
      moved := 0;
      case step
        when 'gap' then heard_since := coalesce(app.note_tick(), '-infinity');
        when 'presence' then moved := app.sweep_offline(heard_since);
        when 'licences' then moved := app.expire_licences();
        when 'tokens' then moved := app.forget_tokens();
        when 'schedules' then moved := app.run_schedules();
        when 'runs' then moved := app.expire_runs();
        when 'software_licenses' then moved := app.count_licenses();
        when 'notifications' then moved := app.notify_licences();
        -- Demo devices have no agent; where the demo data was loaded, its own function keeps them present.
        when 'demo' then
          if to_regprocedure('app.demo_tick()') is not null then
            execute 'select app.demo_tick()' into moved;
          end if;
        when 'retention' then moved := app.remove_old_rows();
      end case;
      done := done || jsonb_build_object(step, moved);
    exception when others then
      insert into app.tick_log (step, error) values (step, sqlstate || ' ' || sqlerrm);
      done := done || jsonb_build_object(step, null);
    end;
  end loop;
  return done;
end $$;
-- Definer, so that a scheduler needs no other right: as it was, with the step that counts licences.

create trigger software_licenses_author before insert on public.software_licenses
  for each row execute function app.stamp_author();
-- The counter is the machine's: it neither makes an open form out of date nor fills the audit log.
select app.keep_tenant('public.software_licenses', null, array['name', 'publisher', 'type', 'seats', 'cost', 'currency',
  'purchased_on', 'expires_on', 'match_rule', 'notes']);
select app.keep_audit('public.software_licenses', 'id', array['detected', 'available']);
select app.keep_announced('public.software_licenses');
select app.keep_search('public.software_licenses');

-- Grants and policies ---------------------------------------------------------------------------------------------

revoke all on public.software_licenses, public.software_license_titles from public, anon, authenticated;
grant select, delete,
  insert (company_id, name, publisher, type, seats, cost, currency, purchased_on, expires_on, match_rule, notes),
  update (name, publisher, type, seats, cost, currency, purchased_on, expires_on, match_rule, notes)
  on public.software_licenses to authenticated;
grant select on public.software_license_titles to authenticated;
grant select, insert, update, delete on public.software_licenses, public.software_license_titles to service_role;

alter table public.software_licenses enable row level security;
create policy software_licenses_select_member on public.software_licenses for select to authenticated
  using ((select app.can('software_licenses', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy software_licenses_insert_member on public.software_licenses for insert to authenticated
  with check ((select app.can('software_licenses', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy software_licenses_update_member on public.software_licenses for update to authenticated
  using ((select app.can('software_licenses', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('software_licenses', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy software_licenses_delete_member on public.software_licenses for delete to authenticated
  using ((select app.can('software_licenses', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

alter table public.software_license_titles enable row level security;
create policy software_license_titles_select_member on public.software_license_titles for select to authenticated
  using ((select app.can('software_license_titles', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
