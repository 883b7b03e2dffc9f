-- How far a fleet's agents have been updated: the figure beside the enrolment tokens.

create function public.agent_versions(company uuid default null)
  returns table (agent_version text, devices bigint)
  language plpgsql stable set search_path = '' as $$
begin
  -- The company stands in the text so that the plan sees it; row-level security decides what is counted at all.
  return query execute format(
    'select d.agent_version, count(*) from public.devices d where %s group by d.agent_version order by count(*) desc, d.agent_version limit 50',
    case when company is null then 'true' else format('d.company_id = %L', company) end);
end $$;
comment on function public.agent_versions(uuid) is
  'Devices by agent version, most frequent first, of one company or of all that the caller sees. Null: enrolled without an agent.';
revoke execute on function public.agent_versions(uuid) from public, anon;
grant execute on function public.agent_versions(uuid) to authenticated, service_role;
