-- Steps: what an automation runs, in order. They replace automation_procedures, which had no order.

create table public.automation_steps (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  automation_id uuid not null,
  position integer check (position between 1 and 1000),
  procedure_id uuid not null,
  on_failure text not null default 'stop' check (on_failure in ('stop', 'continue')),
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  foreign key (company_id, automation_id) references public.automations (company_id, id) on delete cascade,
  foreign key (company_id, procedure_id) references public.procedures (company_id, id) on delete cascade
);
comment on table public.automation_steps is
  'The scripts of an automation in the order of position, then of id. on_failure says whether the next step follows a failed one.';
comment on column public.automation_steps.position is 'Filled in as the last one if it is not given.';
create index automation_steps_company_position_idx on public.automation_steps (company_id, position, id);
create index automation_steps_position_idx on public.automation_steps (position, id);
create index automation_steps_company_automation_id_idx on public.automation_steps (company_id, automation_id, position, id);
create index automation_steps_company_procedure_id_idx on public.automation_steps (company_id, procedure_id);
create index automation_steps_company_on_failure_idx on public.automation_steps (company_id, on_failure);

create function app.place_step() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  new.position := coalesce(new.position, (
    select least(coalesce(max(s.position), 0) + 1, 1000) from public.automation_steps s
    where s.company_id = new.company_id and s.automation_id = new.automation_id and s.id <> new.id
  ));
  return new;
end $$;
comment on function app.place_step() is
  'Row trigger: a step without a position is the last one. Definer, because it counts all steps, whatever the writer may read.';
revoke execute on function app.place_step() from public;

create trigger automation_steps_place before insert or update of position on public.automation_steps
  for each row when (new.position is null) execute function app.place_step();
select app.keep_tenant('public.automation_steps');
select app.keep_audit('public.automation_steps');
select app.keep_announced('public.automation_steps');

revoke all on public.automation_steps from public, anon, authenticated;
grant select, delete,
  insert (company_id, automation_id, position, procedure_id, on_failure),
  update (position, procedure_id, on_failure)
  on public.automation_steps to authenticated;
grant select, insert, update, delete on public.automation_steps to service_role;

alter table public.automation_steps enable row level security;
create policy automation_steps_select_member on public.automation_steps for select to authenticated
  using ((select app.can('automation_steps', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_steps_insert_member on public.automation_steps for insert to authenticated
  with check ((select app.can('automation_steps', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_steps_update_member on public.automation_steps for update to authenticated
  using ((select app.can('automation_steps', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('automation_steps', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy automation_steps_delete_member on public.automation_steps for delete to authenticated
  using ((select app.can('automation_steps', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

insert into public.automation_steps (company_id, automation_id, position, procedure_id)
  select p.company_id, p.automation_id,
    least(row_number() over (partition by p.automation_id order by p.added_at, r.name_key, p.procedure_id), 1000), p.procedure_id
  from public.automation_procedures p
  join public.procedures r on r.company_id = p.company_id and r.id = p.procedure_id;
drop table public.automation_procedures;
