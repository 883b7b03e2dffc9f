-- The knowledge base: articles, and whether they helped. Row rules of the permission lines say who reads drafts and articles for the desk.

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
  deleted_at timestamptz,
  deleted_by uuid,
  deleted_name text,
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
create index articles_company_audience_idx on public.articles (company_id, audience);
create index articles_company_language_idx on public.articles (company_id, language);

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
