-- The question before people are deactivated says what pauses with their right.

-- Runs as the caller: row-level security decides what is counted.
create function public.work_held_by(ids uuid[]) returns jsonb
  language sql stable set search_path = '' as $$
  select jsonb_build_object(
    'scheduled_tasks', (select count(*) from public.scheduled_tasks t where t.set_by = any (ids) and t.enabled),
    'automations', (select count(*) from public.automations t where t.set_by = any (ids) and t.enabled),
    'monitors', (select count(*) from public.monitors t where t.set_by = any (ids) and t.enabled and t.procedure_id is not null),
    'policies', (select count(*) from public.policies t where t.set_by = any (ids) and t.enabled and t.kind = 'patch'))
$$;
comment on function public.work_held_by(uuid[]) is
  'How many schedules, automations, monitors that run a script and patch policies would lose the right of these people, of those that '
  'the caller sees: the question before the people are deactivated tells it.';
revoke execute on function public.work_held_by(uuid[]) from public, anon;
grant execute on function public.work_held_by(uuid[]) to authenticated;
