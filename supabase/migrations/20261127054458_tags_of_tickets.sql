-- Tags of tickets.

create table public.ticket_tags (
  company_id uuid not null references public.companies (id),
  ticket_id uuid not null,
  tag_id uuid not null,
  primary key (company_id, ticket_id, tag_id),
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade,
  foreign key (company_id, tag_id) references public.tags (company_id, id) on delete cascade
);
comment on table public.ticket_tags is
  'Which tags belong to which tickets. The desk sets them, and those who may not list tags see none.';

create index ticket_tags_tag_id_idx on public.ticket_tags (company_id, tag_id);

create or replace function app.require_edit() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if current_user in ('anon', 'authenticated') then
    perform app.require(tg_argv[0], coalesce(tg_argv[1], 'edit'));
  end if;
  return null;
end $$;
comment on function app.require_edit() is
  'Statement trigger of a table whose rows are part of another record: every write is an edit of that resource, or needs '
  'the verb that the trigger names.';

create trigger ticket_tags_permission before insert or update or delete on public.ticket_tags
  for each statement execute function app.require_edit('tickets', 'assign');
create trigger ticket_tags_0_company before insert on public.ticket_tags
  for each row execute function app.refuse_other_company();

select app.keep_audit('public.ticket_tags', 'ticket_id', array['ticket_id', 'company_id']);

select app.keep_announced('public.ticket_tags', 'company', 'company_id', 'ticket_id');

revoke all on public.ticket_tags from public, anon, authenticated;
grant select, delete, insert (company_id, ticket_id, tag_id) on public.ticket_tags to authenticated;
grant select, insert, update, delete on public.ticket_tags to service_role;
alter table public.ticket_tags enable row level security;
create policy ticket_tags_select_member on public.ticket_tags for select to authenticated
  using ((select app.can('tags', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_tags_insert_member on public.ticket_tags for insert to authenticated
  with check ((select app.can('tickets', 'assign')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_tags_delete_member on public.ticket_tags for delete to authenticated
  using ((select app.can('tickets', 'assign')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy ticket_tags_select_rules on public.ticket_tags as restrictive for select to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_tags.ticket_id));
create policy ticket_tags_insert_rules on public.ticket_tags as restrictive for insert to authenticated
  with check (exists (select 1 from public.tickets r where r.id = ticket_tags.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));
create policy ticket_tags_delete_rules on public.ticket_tags as restrictive for delete to authenticated
  using (exists (select 1 from public.tickets r where r.id = ticket_tags.ticket_id and ((select app.sees_rows('tickets', 'edit'))
    or ((select app.has_rule('tickets', 'edit', 'own')) and ((r.requester_id = (select app.current_user_id()) or r.id = any ((select app.tickets_by_watchers())::uuid[]))))
    or ((select app.has_rule('tickets', 'edit', 'asked')) and (r.id = any ((select app.tickets_by_approvers())::uuid[]))))));
