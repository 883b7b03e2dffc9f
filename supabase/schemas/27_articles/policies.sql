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
create policy articles_select_trash on public.articles as restrictive for select to authenticated
  using (deleted_at is null);
create policy articles_update_trash on public.articles as restrictive for update to authenticated
  using (deleted_at is null)
  with check (deleted_at is null);
create policy articles_delete_trash on public.articles as restrictive for delete to authenticated
  using (deleted_at is null);

revoke all on public.article_votes from public, anon, authenticated;
grant select on public.article_votes to authenticated;
grant select, insert, update, delete on public.article_votes to service_role;
alter table public.article_votes enable row level security;
create policy article_votes_select_own on public.article_votes for select to authenticated
  using (user_id = (select app.current_user_id()) and exists (select 1 from public.articles a where a.id = article_id));
