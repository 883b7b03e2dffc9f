-- Unique values ----------------------------------------------------------------------------------------------------------
-- The index that refuses a value and the form that asks while it is typed compare by one function.

create function app.unique_key(t text) returns text
  language sql immutable strict parallel safe
  return (
    select case when pg_catalog.octet_length(k.key) > 600 then pg_catalog.left(k.key, 100) || pg_catalog.md5(k.key) else k.key end
    from (select pg_catalog.replace(
      pg_catalog.lower(pg_catalog.translate(normalize(pg_catalog.btrim(t, E' \t\n\r\u00a0'), NFD), 'Iı', 'ii') collate pg_catalog."C"),
      E'i\u0307', 'i') as key) k);
comment on function app.unique_key(text) is
  'What a unique text is compared by, whatever the database''s collation: without spaces around it, upper and lower case of Latin '
  'letters alike, I, İ, ı and i one letter, however an accent is composed. Accents count. Of a long text, its beginning and a hash: an index takes no more.';
grant execute on function app.unique_key(text) to anon, authenticated, service_role;

create function public.is_taken(resource text, fields text[], record jsonb, except_id uuid default null) returns boolean
  language plpgsql stable set search_path = '' as $$
declare
  own regclass := app.filter_table(resource);
  conditions text;
  found_columns bigint;
  answer boolean;
begin
  select string_agg(format(
      case when a.atttypid = 'text'::regtype then 'app.unique_key(t.%1$I) = app.unique_key(v.%1$I)' else 't.%1$I = v.%1$I' end,
      a.attname), ' and '), count(*)
  into conditions, found_columns
  from (select distinct f.name from unnest(fields) as f (name)) as f
  join pg_catalog.pg_attribute a on a.attrelid = own and a.attname = f.name and a.attnum > 0 and not a.attisdropped;
  if found_columns = 0 or found_columns <> cardinality(fields) then
    raise exception using errcode = '22023', message = format('the fields are different fields of %L', resource);
  end if;
  execute format('select exists (select from %1$s t, jsonb_populate_record(null::%1$s, $1) v where %2$s and ($2 is null or t.id <> $2))',
    own, conditions)
  into answer using record, except_id;
  return answer;
end $$;
comment on function public.is_taken(text, text[], jsonb, uuid) is
  'Whether another row that the caller may read has these values in all of the fields, as a unique index compares them. '
  'Runs as the caller.';
revoke execute on function public.is_taken(text, text[], jsonb, uuid) from public, anon;
grant execute on function public.is_taken(text, text[], jsonb, uuid) to authenticated;
