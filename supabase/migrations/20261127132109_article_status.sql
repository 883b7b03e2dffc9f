-- Article status.

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
