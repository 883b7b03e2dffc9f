-- The app store: on how many devices of a company an app is, how many have an old version, and the task under way.

create index software_company_search_text_idx on public.software (company_id, search collate "C");
create index jobs_open_tasks_idx on public.jobs (company_id, created_at) where status = 'running' and kind = 'task';

create function app.titles_of_app(company uuid, app_name text, app_publisher text, apt_id text) returns uuid[]
  language plpgsql stable set search_path = '' as $$
declare
  -- The words that a device adds to a name, such as an edition, count only under the app's own publisher.
  brand text := split_part(app.fold(coalesce(app_publisher, '')), ' ', 1);
  plain text := app.fold(app_name);
  branded text := btrim(brand || ' ' || app.fold(app_name));
  package text := app.fold(coalesce(apt_id, app_name));
begin
  return array(
    select s.id from public.software s
    where s.company_id = company and s.search collate "C" >= plain || ' ' and s.search collate "C" < plain || '!'
      and (app.fold(s.name) = plain or (brand <> '' and app.fold(s.publisher) like app.like_escape(brand) || '%'))
    union
    select s.id from public.software s
    where s.company_id = company and brand <> '' and s.search collate "C" >= branded || ' ' and s.search collate "C" < branded || '!'
      and app.fold(s.publisher) like app.like_escape(brand) || '%'
    union
    -- A package of APT has the name that is in the catalog.
    select s.id from public.software s
    where s.company_id = company and s.search collate "C" >= package || ' ' and s.search collate "C" < package || '!' and app.fold(s.name) = package);
end $$;
comment on function app.titles_of_app(uuid, text, text, text) is
  'The software titles of a company that are an app of the store: of its name, of its name with an edition or the publisher''s name before it, '
  'by the same publisher, or its package of APT.';
revoke execute on function app.titles_of_app(uuid, text, text, text) from public;

-- Security definer: reads titles and tasks through their indexes, past row-level security; checks permission and company itself.
create function public.app_store_state(app_ids uuid[], company uuid) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
begin
  perform app.require('apps', 'list');
  if company is null or not (company = any (app.visible_company_ids())) then
    return '[]';
  end if;
  return (
    select coalesce(jsonb_agg(jsonb_build_object('id', a.id, 'devices', f.devices, 'outdated', f.outdated, 'job', j.job)), '[]')
    from (select x.* from public.apps x where x.id = any (app_ids[1:100])) a
    cross join lateral (
      select coalesce(sum(s.devices), 0) as devices, coalesce(sum(s.outdated), 0) as outdated
      from public.software s where s.company_id = company and s.id = any (app.titles_of_app(company, a.name, a.publisher, a.apt_id))
        and app.can('software', 'list')
    ) f
    left join lateral (
      -- The newest of its tasks under way.
      select jsonb_build_object('id', t.id, 'act', t.script::jsonb ->> 'act', 'done', t.succeeded + t.failed, 'total', t.total) as job
      from (select o.* from public.jobs o where o.company_id = company and o.status = 'running' and o.kind = 'task'
        order by o.created_at desc limit 200) t
      where t.script::jsonb ->> 'app_id' = a.id::text and app.can('jobs', 'list')
      order by t.created_at desc limit 1
    ) j on true);
end $$;
comment on function public.app_store_state(uuid[], uuid) is
  '[{id, devices, outdated, job: {id, act, done, total} | null}] of at most 100 apps in a company: devices that have it, installations older than the '
  'company''s newest, and the newest task under way. Titles on one device under two names count twice.';
revoke execute on function public.app_store_state(uuid[], uuid) from public, anon;
grant execute on function public.app_store_state(uuid[], uuid) to authenticated;

-- Security definer: as app_store_state.
create function public.app_outdated_devices(app_id uuid, company uuid) returns uuid[]
  language plpgsql stable security definer set search_path = '' as $$
declare
  wanted public.apps%rowtype;
begin
  perform app.require('apps', 'run');
  select a.* into wanted from public.apps a where a.id = app_outdated_devices.app_id and a.enabled;
  if wanted.id is null or company is null or not (company = any (app.visible_company_ids())) then
    return '{}';
  end if;
  return array(
    select distinct i.device_id
    from unnest(app.titles_of_app(company, wanted.name, wanted.publisher, wanted.apt_id)) t (id)
      join public.software s on s.company_id = company and s.id = t.id and s.outdated > 0
      join public.device_software i on i.company_id = company and i.software_id = s.id and i.version <> ''
        and i.version_key < app.sort_key(s.newest_version)
    limit 1000);
end $$;
comment on function public.app_outdated_devices(uuid, uuid) is
  'At most 1,000 devices of a company that have an older version of an app than the company''s newest.';
revoke execute on function public.app_outdated_devices(uuid, uuid) from public, anon;
grant execute on function public.app_outdated_devices(uuid, uuid) to authenticated;

-- Security definer: as before. The task names the app, so that the store finds it.
create or replace function public.run_app(app_id uuid, act text, device_ids uuid[], name text default null, max_running integer default null)
  returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  found public.apps%rowtype;
begin
  perform app.require('apps', 'run');
  if run_app.act is null or run_app.act not in ('install', 'update', 'remove') then
    raise exception 'An app is installed, updated or removed.' using errcode = 'check_violation', hint = 'task_unknown';
  end if;
  select a.* into found from public.apps a where a.id = run_app.app_id and (a.enabled or run_app.act = 'remove');
  if found.id is null then
    raise exception 'The app was not found.' using errcode = 'PT404', hint = 'app_gone';
  end if;
  return app.queue_task(app.device_company(device_ids),
    coalesce(nullif(btrim(run_app.name), ''), initcap(run_app.act) || ' ' || found.name),
    jsonb_build_object('task', 'app', 'act', run_app.act, 'app_id', found.id, 'name', found.name, 'ids', jsonb_strip_nulls(jsonb_build_object(
      'apt', found.apt_id, 'winget', found.winget_id, 'choco', found.choco_id, 'brew', found.brew_id))),
    device_ids, 3600, now() + interval '24 hours', max_running);
end $$;
