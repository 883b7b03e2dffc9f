create function app.count_article_votes() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  voted record;
begin
  -- In the order of the ids, so that two statements never wait for each other.
  for voted in
    select v.article_id, sum(v.helpful) as helpful, sum(v.unhelpful) as unhelpful from (
      select new.article_id, new.is_helpful::integer as helpful, (not new.is_helpful)::integer as unhelpful where tg_op <> 'DELETE'
      union all
      select old.article_id, -old.is_helpful::integer, -(not old.is_helpful)::integer where tg_op <> 'INSERT'
    ) v group by v.article_id order by v.article_id
  loop
    continue when voted.helpful = 0 and voted.unhelpful = 0;
    update public.articles a set helpful = a.helpful + voted.helpful, unhelpful = a.unhelpful + voted.unhelpful where a.id = voted.article_id;
  end loop;
  return null;
end $$;
comment on function app.count_article_votes() is
  'Row trigger: an article counts its votes. Definer, because whoever votes may not write articles.';

-- Security definer: votes are written by this function alone. It asks what row-level security would.
create function public.vote_articles(ids uuid[], helpful boolean) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  voter constant uuid := app.current_user_id();
  reached uuid[];
  changed integer;
begin
  perform app.require('articles', 'vote_helpful');
  reached := array(select a.id from public.articles a
    where a.id = any (ids) and a.deleted_at is null and (app.sees_all() or a.company_id = app.own_company())
      and app.can('articles', 'list') and app.articles_covers(a, 'list') and app.articles_covers(a, 'vote_helpful')
    order by a.id);
  if cardinality(reached) = 0 then
    raise exception 'The article was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  if vote_articles.helpful is null then
    delete from public.article_votes v where v.article_id = any (reached) and v.user_id = voter;
  else
    insert into public.article_votes as v (company_id, article_id, user_id, is_helpful)
    select a.company_id, a.id, voter, vote_articles.helpful from public.articles a where a.id = any (reached) order by a.id
    on conflict (article_id, user_id) do update set is_helpful = excluded.is_helpful, voted_at = now()
      where v.is_helpful is distinct from excluded.is_helpful;
  end if;
  get diagnostics changed = row_count;
  return changed;
end $$;
comment on function public.vote_articles(uuid[], boolean) is
  'Says whether these articles helped the caller, or takes it back with null, and returns how many votes that changed. One vote a person and article. '
  'Definer, because a vote is written under one name alone.';
grant execute on function public.vote_articles(uuid[], boolean) to authenticated;

-- Runs as the caller: row-level security decides which articles are reached.
create function public.set_article_status(ids uuid[], status text) returns integer
  language plpgsql set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require_rows('articles', 'edit', ids);
  perform 1 from public.articles a where a.id = any (ids) order by a.id for no key update;
  update public.articles a set status = set_article_status.status where a.id = any (ids);
  get diagnostics changed = row_count;
  if changed = 0 then
    raise exception 'The article was not found.' using errcode = 'PT404', hint = 'record_gone';
  end if;
  return changed;
end $$;
comment on function public.set_article_status(uuid[], text) is
  'Publishes these articles, or makes drafts of them again, and returns how many: those that the caller does not reach are left out.';
grant execute on function public.set_article_status(uuid[], text) to authenticated;

-- Runs as the caller: row-level security decides which articles are suggested.
create function public.suggest_articles(q text, company uuid default null, most integer default 4)
  returns table (id uuid, title text)
  language sql stable set search_path = '' as $$
  with words as (
    -- The beginning of a word: Turkish adds to its end what English says by words of their own.
    select distinct left(w.word, 5) as stem from regexp_split_to_table(app.fold(left(q, 200)), '[^[:alnum:]]+') as w (word)
    where length(w.word) >= 3 limit 12
  ), scored as (
    select a.id, a.title, a.helpful, a.title_key,
      (select count(*) filter (where strpos(app.fold(a.title), s.stem) > 0) * 3 + count(*) filter (where strpos(a.search, s.stem) > 0) from words s) as score
    from public.articles a
    where a.status = 'published' and (suggest_articles.company is null or a.company_id = suggest_articles.company)
      and exists (select 1 from words s where strpos(a.search, s.stem) > 0)
  )
  select s.id, s.title from scored s where s.score >= 2
  order by s.score desc, s.helpful desc, s.title_key, s.id limit least(greatest(most, 0), 20)
$$;
comment on function public.suggest_articles(text, uuid, integer) is
  'Published articles that share words with a text, those with the words in their title first: what is offered while a ticket is typed.';
grant execute on function public.suggest_articles(text, uuid, integer) to authenticated;

-- The portal.

create function app.is_own_device(device uuid, company uuid) returns boolean
  language sql stable security definer set search_path = '' as $$
  select exists (select 1 from public.devices d where d.id = device and d.company_id = company and d.owner_id = app.current_user_id())
$$;
comment on function app.is_own_device(uuid, uuid) is
  'Whether the desk has named the caller as the person who uses this device. Definer, because requesters read no devices.';
grant execute on function app.is_own_device(uuid, uuid) to authenticated;

create function public.my_devices() returns table (id uuid, name text)
  language sql stable security definer set search_path = '' as $$
  select d.id, d.name from public.devices d
  where d.owner_id = app.current_user_id() and d.company_id = app.own_company() and app.can('tickets', 'create')
  order by d.name_key, d.id limit 50
$$;
comment on function public.my_devices() is
  'The names of the devices that the caller uses, as the desk has noted it, to pick one in a ticket. Definer, because requesters read no devices: '
  'it tells the id and the name, and nothing else.';
grant execute on function public.my_devices() to authenticated;

create function public.set_own_ticket_status(ids uuid[], status text) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  action constant text := case set_own_ticket_status.status when 'closed' then 'close_own' when 'open' then 'reopen_own' end;
  changed integer;
begin
  if action is null then
    raise exception using errcode = '22023', message = 'a requester closes a ticket or opens it again';
  end if;
  perform app.require('tickets', action);
  -- In one order, as everybody locks them.
  perform 1 from public.tickets t where t.id = any (ids) and t.requester_id = app.current_user_id() and t.company_id = app.own_company()
    order by t.id for no key update;
  update public.tickets t set status = set_own_ticket_status.status
  where t.id = any (ids) and t.deleted_at is null and t.requester_id = app.current_user_id() and t.company_id = app.own_company() and app.tickets_covers(t, action)
    and t.merged_into_id is null and case action when 'close_own' then t.status <> 'closed'
      else t.status = 'resolved' or t.status = 'closed' and t.resolved_at > now() - make_interval(days => coalesce(
        (select s.reopen_days from public.desk_settings s where s.company_id = t.company_id), 14)) end;
  get diagnostics changed = row_count;
  if changed = 0 then
    if exists (select 1 from public.tickets t where t.id = any (ids) and t.deleted_at is null and t.requester_id = app.current_user_id() and t.company_id = app.own_company()) then
      raise exception using errcode = 'PT412', hint = 'ticket_moved', message = 'The ticket is closed, or was closed too long ago.';
    end if;
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return changed;
end $$;
comment on function public.set_own_ticket_status(uuid[], text) is
  'Closes tickets that the caller asked for, or opens them again within the days that the desk allows. Definer, because the status is for the desk to write.';
grant execute on function public.set_own_ticket_status(uuid[], text) to authenticated;

create function public.rate_ticket(id uuid, rating integer, note text default null) returns integer
  language plpgsql security definer set search_path = '' as $$
declare
  changed integer;
begin
  perform app.require('tickets', 'rate');
  if rating is null or rating not between 1 and 5 then
    raise exception using errcode = '23514', message = 'a rating is one to five', table = 'tickets', schema = 'public', column = 'rating',
      constraint = 'tickets_rating_check';
  end if;
  update public.tickets t set rating = rate_ticket.rating, rating_note = nullif(btrim(coalesce(note, t.rating_note, '')), ''), rated_at = now()
  where t.id = rate_ticket.id and t.deleted_at is null and t.requester_id = app.current_user_id() and t.company_id = app.own_company()
    and app.tickets_covers(t, 'rate') and t.status in ('resolved', 'closed') and t.merged_into_id is null;
  get diagnostics changed = row_count;
  if changed = 0 then
    if exists (select 1 from public.tickets t where t.id = rate_ticket.id and t.deleted_at is null and t.requester_id = app.current_user_id() and t.company_id = app.own_company()) then
      raise exception using errcode = 'PT412', hint = 'ticket_moved', message = 'A ticket is rated once it is resolved.';
    end if;
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return changed;
end $$;
comment on function public.rate_ticket(uuid, integer, text) is
  'How content the requester is with a resolved ticket, one to five, with a note; it may be changed. A merged ticket is not rated: its answer is in the other one. Definer, because nobody else writes it, the desk least of all.';
grant execute on function public.rate_ticket(uuid, integer, text) to authenticated;

create function app.articles_covers(t public.articles, action text) returns boolean
  language sql stable set search_path = '' as $guard$
  select coalesce(app.sees_rows('articles', action)
    or (app.has_rule('articles', action, 'published') and (t.status = 'published' and t.audience = 'everyone')), false)
$guard$;
comment on function app.articles_covers(public.articles, text) is
  'Whether the caller may do `action` on this row of articles: on every row, or by a row rule of their lines. For triggers and app.require_rows().';
grant execute on function app.articles_covers(public.articles, text) to authenticated;

create function app.articles_by_rules() returns uuid[]
  language sql stable
  -- definer: below row-level security the planner would have to plan for those who see all rows
  security definer set search_path = '' as $guard$
  select case when not app.sees_rows('articles', 'list') then coalesce((select array_agg(f.id) from (
    select t.id from public.articles t
    where ((select app.has_rule('articles', 'list', 'published')) and (t.status = 'published' and t.audience = 'everyone'))
    limit 501) f), '{}') end
$guard$;
comment on function app.articles_by_rules() is
  'The ids of the rows of articles that the caller lists by a row rule, at most 501; null for whoever lists all rows.';
grant execute on function app.articles_by_rules() to authenticated;
