-- Bounds for what one token, or one person, can fill; each is told to the one who meets it.

-- Security definer: the secrets of requests are private, and people are told of it.
create function app.bound_requests() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  max_per_token constant integer := 200;
  max_per_address constant integer := 100;
  displaced uuid[];
begin
  -- agent_enroll() holds the token's row. The machine id is the sender's choice, and bounds nothing.
  with waiting as (
    select r.id, r.created_at, r.ip_address is not distinct from new.ip_address as is_same,
      row_number() over (partition by r.ip_address order by r.created_at desc, r.id desc) as place
    from public.enrollment_requests r
    where r.company_id = new.company_id and r.token_id = new.token_id and r.status = 'pending'
  ), over as (
    select w.id from waiting w where w.is_same and w.place >= max_per_address
    union
    -- An address that sent more loses its requests first, so that whoever floods displaces their own.
    (select w.id from waiting w order by w.place, w.created_at desc, w.id desc offset max_per_token - 1)
  )
  select array_agg(o.id) into displaced from over o;
  if displaced is null then
    return new;
  end if;
  update public.enrollment_requests r set status = 'expired' where r.company_id = new.company_id and r.id = any (displaced) and r.status = 'pending';
  delete from app.enrollment_request_secrets s where s.request_id = any (displaced);
  insert into public.notifications (user_id, company_id, kind, params, link, once_key)
    select r.user_id, new.company_id, 'enrollment_flood', jsonb_build_object('token', t.name, 'max', max_per_token, 'address', max_per_address),
      '/enrollment-requests', format('enrollment_flood:%s:%s', t.id, current_date)
    from public.user_roles r join public.enrollment_tokens t on t.id = new.token_id
    where r.company_id = new.company_id and r.role = any (app.roles_that_may('enrollment_requests', 'approve')) and r.deactivated_at is null
    on conflict (user_id, once_key) do nothing;
  return new;
end $$;
comment on function app.bound_requests() is
  'Row trigger: at most 200 requests of a token wait for approval, 100 from one address; the oldest of the address that sent the most '
  'expire, and whoever approves is told once a token and day. Definer, because the secrets of requests are private.';
revoke execute on function app.bound_requests() from public;
create trigger enrollment_requests_bound before insert on public.enrollment_requests
  for each row when (new.status = 'pending') execute function app.bound_requests();
create index enrollment_requests_pending_token_idx on public.enrollment_requests (company_id, token_id) where status = 'pending';

-- What a person keeps for themself ------------------------------------------------------------------------------------

-- Security definer: the count is of all rows of the person, whatever the caller may see.
create function app.bound_own_rows() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  max_rows constant integer := 200;
  person uuid := (to_jsonb(new) ->> tg_argv[0])::uuid;
  held integer;
begin
  if octet_length(coalesce(to_jsonb(new) ->> tg_argv[1], '')) > 8192 then
    raise exception using errcode = 'check_violation', hint = 'settings_too_large', table = tg_table_name, schema = 'public',
      message = format('%s holds at most 8,192 bytes', tg_argv[1]);
  end if;
  if tg_op = 'UPDATE' then
    return new;
  end if;
  perform pg_advisory_xact_lock(hashtextextended(tg_table_name || person::text, 0));
  execute format('select count(*) from (select 1 from public.%I where %I = $1 limit $2) x', tg_table_name, tg_argv[0]) into held using person, max_rows;
  if held < max_rows then
    return new;
  end if;
  -- An upsert of a row that is there adds none.
  if tg_table_name = 'list_preferences' and exists (
      select 1 from public.list_preferences p where p.user_id = person and p.resource = to_jsonb(new) ->> 'resource')
    or tg_table_name = 'procedure_favorites' and exists (
      select 1 from public.procedure_favorites f where f.user_id = person and f.procedure_id = (to_jsonb(new) ->> 'procedure_id')::uuid) then
    return new;
  end if;
  raise exception using errcode = 'check_violation', hint = tg_argv[2], table = tg_table_name, schema = 'public',
    message = format('a person keeps at most %s rows of %s', max_rows, tg_table_name);
end $$;
comment on function app.bound_own_rows() is
  'Row trigger (column of the person, column whose size is bounded, hint): a person keeps at most 200 saved views, settings of lists and '
  'favorites each. Definer, because it counts all rows of the person.';
revoke execute on function app.bound_own_rows() from public;
create trigger saved_views_a_bound before insert or update on public.saved_views
  for each row execute function app.bound_own_rows('owner', 'state', 'views_too_many');
create trigger list_preferences_a_bound before insert or update on public.list_preferences
  for each row execute function app.bound_own_rows('user_id', 'columns', 'settings_too_many');
create trigger procedure_favorites_a_bound before insert on public.procedure_favorites
  for each row execute function app.bound_own_rows('user_id', 'user_id', 'favorites_too_many');
