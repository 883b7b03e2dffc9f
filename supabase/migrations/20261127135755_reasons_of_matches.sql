-- Reasons of matches.

-- Security invoker: a text that the caller may not read is no reason either.
create function public.find_reasons(q text, wanted jsonb) returns table (resource text, id uuid, field text, snippet text)
  language plpgsql stable set search_path = '' rows 50 as $$
#variable_conflict use_column
declare
  patterns constant text[] := app.search_patterns(q);
  entry record;
  own regclass;
  thread regclass;
  texts text;
begin
  if cardinality(patterns) = 0 then
    return;
  end if;
  if jsonb_typeof(wanted) is distinct from 'array' or jsonb_array_length(wanted) > 200 then
    raise exception using errcode = '22023', message = 'wanted is a list of at most 200 of {name, ids, fields, thread, near}';
  end if;
  for entry in
    select w.name, w.ids, w.fields, w.thread, w.near
    from jsonb_to_recordset(wanted) as w (name text, ids uuid[], fields text[], thread text, near text)
  loop
    own := app.filter_table(entry.name);
    -- No more than find_records() gives: each text is folded again, and a body may have 50,000 letters.
    if cardinality(entry.ids) > 20 or cardinality(entry.fields) > 20 then
      raise exception using errcode = '22023', message = 'at most 20 ids and 20 fields of a resource';
    end if;
    select string_agg(format('select %s as place, t.id, %L as field, t.%I::text as value from %s t where t.id = any ($1)',
      array_position(entry.fields, a.attname::text), a.attname, a.attname, own), ' union all ')
    into texts from pg_catalog.pg_attribute a
    where a.attrelid = own and a.attname = any (entry.fields) and a.attnum > 0 and not a.attisdropped;
    if entry.thread is not null then
      thread := app.filter_table(entry.thread);
      if (select count(*) from pg_catalog.pg_attribute a
          where a.attrelid = thread and a.attname in (entry.near, 'body') and a.attnum > 0 and not a.attisdropped) = 2 then
        texts := concat_ws(' union all ', texts, format('select 1000, c.%I, ''comments'', c.body from %s c where c.%I = any ($1)',
          entry.near, thread, entry.near));
      end if;
    end if;
    continue when texts is null;
    begin
      return query execute format($query$
        select distinct on (f.id) %L::text, f.id, f.field,
          -- The folded text is about as long as the text itself, so that the match is within what is cut out.
          pg_catalog.regexp_replace(pg_catalog.substr(f.value, greatest(f.at - 40, 1), 160), '\s+', ' ', 'g')
        from (
          select x.place, x.id, x.field, x.value, x.folded,
            (select pg_catalog.min(nullif(pg_catalog.strpos(x.folded, w.word), 0)) from pg_catalog.unnest($3) as w (word)) as at
          from (select v.place, v.id, v.field, normalize(v.value, NFC) as value, app.fold(v.value) as folded from (%s) v) x) f
        where f.at is not null
        order by f.id, (f.folded operator(pg_catalog.~~) all ($2)) desc, f.place, f.at$query$, entry.name, texts)
      using entry.ids, patterns, string_to_array(app.fold(regexp_replace(btrim("left"(q, 200)), '\s+', ' ', 'g')), ' ');
    exception when insufficient_privilege then
      -- A table, or a field, that the caller may not read gives no reason.
      null;
    end;
  end loop;
end $$;
comment on function public.find_reasons(text, jsonb) is
  'Why records match the words of q: of each, the field that holds them and the text around the first. wanted: [{name, ids, fields in their '
  'order, thread (the table of its comments) and near (its column that points at the record), or null}]; the field of a comment is `comments`. Runs as the caller.';
grant execute on function public.find_reasons(text, jsonb) to authenticated;
