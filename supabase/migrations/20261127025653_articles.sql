-- Articles.

set check_function_bodies = off;

alter table public.tickets add column rating integer check (rating between 1 and 5);
alter table public.tickets add column rating_note text check (length(rating_note) <= 1000);
alter table public.tickets add column rated_at timestamptz;

create table public.articles (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  title text not null check (length(btrim(title)) between 1 and 200),
  body text not null check (length(btrim(body)) between 1 and 50000),
  category_id uuid,
  audience text not null default 'desk' check (audience in ('everyone', 'desk')),
  language text not null default 'en' check (language in ('en', 'tr')),
  status text not null default 'draft' check (status in ('draft', 'published')),
  helpful integer not null default 0 check (helpful >= 0),
  unhelpful integer not null default 0 check (unhelpful >= 0),
  title_key text generated always as (app.sort_key(title)) stored,
  search text generated always as (app.fold(title || ' ' || body)) stored,
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (company_id, id),
  foreign key (company_id, category_id) references public.ticket_categories (company_id, id) on delete set null (category_id)
);
comment on table public.articles is
  'Answers that are written once: for the desk alone or for everyone, and read by requesters when they are published.';
comment on column public.articles.helpful is 'Votes of app.article_votes, kept by trigger.';

create index articles_company_title_idx on public.articles (company_id, title_key, id);
create index articles_title_idx on public.articles (title_key, id);
create index articles_company_helpful_idx on public.articles (company_id, helpful, id);
create index articles_helpful_idx on public.articles (helpful, id);
create index articles_company_updated_idx on public.articles (company_id, updated_at, id);
create index articles_updated_idx on public.articles (updated_at, id);
create index articles_category_idx on public.articles (company_id, category_id);
create index articles_status_idx on public.articles (company_id, status, audience);

create table public.article_votes (
  company_id uuid not null,
  article_id uuid not null,
  user_id uuid not null default app.current_user_id() references public.profiles (id) on delete cascade,
  is_helpful boolean not null,
  voted_at timestamptz not null default now(),
  primary key (article_id, user_id),
  foreign key (company_id, article_id) references public.articles (company_id, id) on delete cascade
);
comment on table public.article_votes is 'Whether an article helped somebody: one vote a person, which they may change. Read by that person alone.';

create index article_votes_article_idx on public.article_votes (company_id, article_id);
create index article_votes_user_idx on public.article_votes (user_id);

create or replace function app.guard_ticket() returns trigger
  language plpgsql set search_path = '' as $$
declare
  refused text;
begin
  -- Cascades and the server's own work run as the owner.
  if current_user not in ('anon', 'authenticated') then
    return new;
  end if;
  -- Row-level security asks after the triggers: none of theirs may tell of another company first.
  if not app.sees_all() and new.company_id is distinct from app.own_company() then
    raise exception using errcode = '42501', hint = 'role', message = 'permission denied: not your company';
  end if;
  -- Whoever works the desk writes everything.
  if app.tickets_covers(case tg_op when 'INSERT' then new else old end, 'assign') then
    return new;
  end if;
  if tg_op = 'INSERT' then
    -- The requester is whoever is signed in, whatever the request says.
    new.requester_id := app.current_user_id();
    refused := case
      when new.status <> 'new' then 'status'
      when new.priority is not null then 'priority'
      when new.assignee_id is not null then 'assignee_id'
      when new.device_id is not null and not app.is_own_device(new.device_id, new.company_id) then 'device_id'
      when new.due_at is not null then 'due_at' end;
  else
    refused := case
      when old.status = 'closed' then 'status'
      when (new.status, new.status_id) is distinct from (old.status, old.status_id) then 'status'
      when new.priority is distinct from old.priority then 'priority'
      when new.requester_id is distinct from old.requester_id then 'requester_id'
      when new.assignee_id is distinct from old.assignee_id then 'assignee_id'
      when new.device_id is distinct from old.device_id
        and not coalesce(new.device_id is null or app.is_own_device(new.device_id, new.company_id), false) then 'device_id'
      when new.due_at is distinct from old.due_at then 'due_at' end;
  end if;
  if refused is not null then
    raise exception using errcode = '42501', hint = 'role', column = refused, table = 'tickets', schema = 'public',
      message = format('permission denied: %s of a ticket is for those who work the desk', refused);
  end if;
  return new;
end $$;

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
    where a.id = any (ids) and (app.sees_all() or a.company_id = app.own_company())
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
  update public.tickets t set status = set_own_ticket_status.status
  where t.id = any (ids) and t.requester_id = app.current_user_id() and t.company_id = app.own_company() and app.tickets_covers(t, action)
    and case action when 'close_own' then t.status <> 'closed'
      else t.status = 'resolved' or t.status = 'closed' and t.resolved_at > now() - make_interval(days => coalesce(
        (select s.reopen_days from public.desk_settings s where s.company_id = t.company_id), 14)) end;
  get diagnostics changed = row_count;
  if changed = 0 then
    if exists (select 1 from public.tickets t where t.id = any (ids) and t.requester_id = app.current_user_id() and t.company_id = app.own_company()) then
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
  where t.id = rate_ticket.id and t.requester_id = app.current_user_id() and t.company_id = app.own_company()
    and app.tickets_covers(t, 'rate') and t.status in ('resolved', 'closed');
  get diagnostics changed = row_count;
  if changed = 0 then
    if exists (select 1 from public.tickets t where t.id = rate_ticket.id and t.requester_id = app.current_user_id() and t.company_id = app.own_company()) then
      raise exception using errcode = 'PT412', hint = 'ticket_moved', message = 'A ticket is rated once it is resolved.';
    end if;
    raise exception 'The ticket was not found.' using errcode = 'PT404', hint = 'ticket_gone';
  end if;
  return changed;
end $$;
comment on function public.rate_ticket(uuid, integer, text) is
  'How content the requester is with a resolved ticket, one to five, with a note; it may be changed. Definer, because nobody else writes it, the desk least of all.';
grant execute on function public.rate_ticket(uuid, integer, text) to authenticated;

-- A vote must not outdate an open form.
select app.keep_tenant('public.articles');
-- A vote is no change of the text: neither its version nor its time moves.
create or replace trigger articles_touch before update of title, body, category_id, audience, language, status on public.articles
  for each row execute function app.touch();

select app.keep_audit('public.articles', 'id', array['title_key', 'helpful', 'unhelpful']);

select app.keep_announced('public.articles');

select app.keep_search('public.articles');

select app.keep_files('public.articles');

create trigger articles_0_company before insert on public.articles for each row execute function app.refuse_other_company();
create trigger article_votes_count after insert or update or delete on public.article_votes
  for each row execute function app.count_article_votes();

revoke all on public.articles from public, anon, authenticated;
grant select, delete,
  insert (company_id, title, body, category_id, audience, language, status),
  update (title, body, category_id, audience, language, status)
  on public.articles to authenticated;
grant select, insert, update, delete on public.articles to service_role;
alter table public.articles enable row level security;
create policy articles_select_member on public.articles for select to authenticated
  using ((select app.can('articles', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy articles_insert_member on public.articles for insert to authenticated
  with check ((select app.can('articles', 'create')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy articles_update_member on public.articles for update to authenticated
  using ((select app.can('articles', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())))
  with check ((select app.can('articles', 'edit')) and ((select app.sees_all()) or company_id = (select app.own_company())));
create policy articles_delete_member on public.articles for delete to authenticated
  using ((select app.can('articles', 'delete')) and ((select app.sees_all()) or company_id = (select app.own_company())));

revoke all on public.article_votes from public, anon, authenticated;
grant select on public.article_votes to authenticated;
grant select, insert, update, delete on public.article_votes to service_role;

alter table public.article_votes enable row level security;
create policy article_votes_select_own on public.article_votes for select to authenticated
  using (user_id = (select app.current_user_id()) and exists (select 1 from public.articles a where a.id = article_id));
