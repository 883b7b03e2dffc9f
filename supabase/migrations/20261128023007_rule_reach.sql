-- Rule reach.

alter table public.assignment_rules add column reach_note text check (length(reach_note) <= 200);
comment on column public.assignment_rules.reach_note is 'That a rule before it takes every ticket, so that this one is never reached; triggers write it.';

-- Security definer: nobody writes the note by hand, and a rule changes those of the rules after it.
create function app.note_rule_reach() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  company constant uuid := case tg_op when 'DELETE' then old.company_id else new.company_id end;
begin
  update public.assignment_rules r set reach_note = x.note
  from (
    select o.id, (
      select "left"(format('Never reached: %s takes every ticket', c.name), 200) from public.assignment_rules c
      where o.enabled and c.enabled and c.company_id = company and (c.position, c.id) < (o.position, o.id)
        and num_nonnulls(c.category_id, c.issue_id, c.priority, c.group_id, c.requester_id) = 0
        and case c.assigns when 'person' then c.assignee_id is not null
          else c.role is null or exists (select 1 from public.user_roles u where u.company_id = company and u.role = c.role and u.deactivated_at is null) end
      order by c.position, c.id limit 1) as note
    from public.assignment_rules o where o.company_id = company
  ) x
  where r.id = x.id and r.reach_note is distinct from x.note;
  return null;
end $$;
comment on function app.note_rule_reach() is
  'Row trigger: rules behind one without a condition say that they are never reached. Definer, because nobody writes the note by hand.';

create trigger assignment_rules_reach after insert or delete
  or update of name, position, enabled, category_id, issue_id, priority, group_id, requester_id, assigns, assignee_id, role on public.assignment_rules
  for each row execute function app.note_rule_reach();

-- Rules that are there already get their note.
update public.assignment_rules r set position = r.position;
