-- Articles as their definition has them now.

create index articles_company_audience_idx on public.articles (company_id, audience);
create index articles_company_language_idx on public.articles (company_id, language);
create function app.articles_covers(t public.articles, action text) returns boolean
  language sql stable set search_path = '' as $guard$
  select coalesce(app.sees_rows('articles', action)
    or (app.has_rule('articles', action, 'published') and (t.status = 'published' and t.audience = 'everyone')), false)
$guard$;
comment on function app.articles_covers(public.articles, text) is
  'Whether the caller may do `action` on this row of articles: on every row, or by a row rule of their lines. For triggers and app.require_rows().';
grant execute on function app.articles_covers(public.articles, text) to authenticated;
create policy articles_select_rules on public.articles as restrictive for select to authenticated
  using ((select app.sees_rows('articles', 'list'))
    or ((select app.has_rule('articles', 'list', 'published')) and (status = 'published' and audience = 'everyone')));
create policy articles_insert_rules on public.articles as restrictive for insert to authenticated
  with check ((select app.sees_rows('articles', 'create'))
    or ((select app.has_rule('articles', 'create', 'published')) and (status = 'published' and audience = 'everyone')));
create policy articles_update_rules on public.articles as restrictive for update to authenticated
  using ((select app.sees_rows('articles', 'edit'))
    or ((select app.has_rule('articles', 'edit', 'published')) and (status = 'published' and audience = 'everyone')))
  with check ((select app.sees_rows('articles', 'edit'))
    or ((select app.has_rule('articles', 'edit', 'published')) and (status = 'published' and audience = 'everyone')));
create policy articles_delete_rules on public.articles as restrictive for delete to authenticated
  using ((select app.sees_rows('articles', 'delete'))
    or ((select app.has_rule('articles', 'delete', 'published')) and (status = 'published' and audience = 'everyone')));
