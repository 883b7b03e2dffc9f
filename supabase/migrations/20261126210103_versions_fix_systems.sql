-- A version of a script fixes the systems on which it runs: an approval covers them, and adding one asks for another.

alter table public.procedure_versions add column platforms text[];
update public.procedure_versions v set platforms = p.platforms
  from public.procedures p where p.company_id = v.company_id and p.id = v.procedure_id;
alter table public.procedure_versions alter column platforms set not null;
comment on column public.procedure_versions.platforms is 'The systems on which it runs.';

create or replace trigger procedure_versions_immutable before update on public.procedure_versions
  for each row when (
    (old.procedure_id, old.number, old.type, old.script, old.parameters, old.timeout_seconds, old.platforms)
    is distinct from (new.procedure_id, new.number, new.type, new.script, new.parameters, new.timeout_seconds, new.platforms)
  ) execute function app.refuse_version_change();

-- Security definer: nobody may write procedure_versions, so the history cannot be forged.
create or replace function app.keep_procedure_version() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  insert into public.procedure_versions
    (company_id, procedure_id, number, type, script, parameters, timeout_seconds, platforms, created_by)
  values (new.company_id, new.id, new.revision, new.type, new.script, new.parameters, new.timeout_seconds, new.platforms,
    coalesce((select p.id from public.profiles p where p.id = app.current_user_id()), new.created_by));
  return null;
end $$;

create or replace function app.stamp_procedure() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if tg_op = 'INSERT' then
    new.revision := 1;
    -- Whoever is signed in is the author, whatever the request says; the seed has nobody signed in.
    if app.acting_user_id() is not null then
      new.created_by := (select p.id from public.profiles p where p.id = app.acting_user_id());
    end if;
    return new;
  end if;
  new.revision := old.revision;
  -- A profile that is deleted takes its name off the procedure (as the owner of the tables); nothing else moves it.
  if new.created_by is not null or current_user in ('anon', 'authenticated') then
    new.created_by := old.created_by;
  end if;
  if (new.type, new.script, new.parameters, new.timeout_seconds, new.platforms)
    is distinct from (old.type, old.script, old.parameters, old.timeout_seconds, old.platforms) then
    new.revision := old.revision + 1;
    -- These are about the newest version.
    new.approved_at := null;
    new.approved_name := null;
    new.declined_at := null;
    new.declined_name := null;
    new.decline_reason := null;
    new.waiting_since := null;
  end if;
  return new;
end $$;
