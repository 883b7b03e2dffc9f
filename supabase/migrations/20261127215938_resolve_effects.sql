-- Resolve effects.

-- Runs as the caller: row-level security decides which subtickets count.
create function public.resolve_effects(ids uuid[]) returns json
  language plpgsql stable set search_path = '' as $$
begin
  perform app.require_rows('tickets', 'assign', ids);
  return (
    select json_build_object(
      'approvals', coalesce(sum(t.open_approvals) filter (where t.id = any (ids)), 0),
      'checklist', coalesce(sum(t.checklist_total - t.checklist_done) filter (where t.id = any (ids)), 0),
      'subtickets', count(*) filter (where t.id <> all (ids)),
      'unfinished_subtickets', count(*) filter (where t.id <> all (ids) and t.unfinished is not null))
    from public.tickets t
    where t.deleted_at is null and (t.id = any (ids) or t.parent_id = any (ids) and t.status in ('new', 'open', 'waiting')));
end $$;
comment on function public.resolve_effects(uuid[]) is
  'How much of these tickets is left open when they are resolved, as counts by name: undecided approvals, which end, open checklist items, and open subtickets.';
grant execute on function public.resolve_effects(uuid[]) to authenticated;
