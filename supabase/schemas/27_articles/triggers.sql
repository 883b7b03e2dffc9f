select app.keep_tenant('public.articles');
-- A vote is no change of the text: neither its version nor its time moves.
create or replace trigger articles_touch before update of title, body, category_id, audience, language, status on public.articles
  for each row execute function app.touch();
select app.keep_audit('public.articles', 'id', array['title_key', 'helpful', 'unhelpful']);
select app.keep_announced('public.articles');
select app.keep_search('public.articles');
select app.keep_files('public.articles');
select app.keep_trash('public.articles');
create trigger articles_0_company before insert on public.articles for each row execute function app.refuse_other_company();

create trigger article_votes_count after insert or update or delete on public.article_votes
  for each row execute function app.count_article_votes();
