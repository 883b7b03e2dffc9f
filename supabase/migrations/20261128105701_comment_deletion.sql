-- Comment deletion.

create or replace function app.guard_comment() returns trigger
  language plpgsql set search_path = '' as $$
declare
  settings constant jsonb := tg_argv[0];
  is_client constant boolean := current_user in ('anon', 'authenticated');
  written jsonb;
  kind jsonb;
  record_id uuid;
  is_open boolean;
  wanted uuid[];
begin
  if tg_op = 'DELETE' and (not is_client or app.can(settings ->> 'resource', 'delete')) then
    return old;
  end if;
  written := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  kind := coalesce(settings #> array['kinds', written ->> 'kind'], '{}');
  record_id := (written ->> (settings ->> 'record'))::uuid;
  if is_client then
    if tg_op <> 'DELETE' and kind ? 'object' then
      perform app.require(kind ->> 'object', 'create');
    end if;
    if tg_op <> 'INSERT' and old.created_at <= now() - interval '15 minutes' then
      raise exception using errcode = '42501', hint = 'comment_settled',
        message = format('a comment is %s by its author within 15 minutes', case tg_op when 'DELETE' then 'deleted' else 'edited' end);
    end if;
    -- As the caller: a record of others and none at all get one answer.
    is_open := app.is_comment_open(settings, written ->> 'kind', (written ->> 'company_id')::uuid, record_id);
    if is_open is null then
      raise exception using errcode = 'PT404', hint = 'comment_gone', message = 'the record of the comment was not found';
    elsif not is_open then
      raise exception using errcode = '23514', hint = 'comment_closed', table = tg_table_name, schema = 'public',
        message = 'the record takes no more comments of this kind';
    end if;
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  if tg_op = 'INSERT' or new.body is distinct from old.body then
    wanted := app.mentioned_in(new.body);
    -- A stranger's name stays a word of the text.
    new.mentions := app.people_who_see(wanted, new.company_id, settings ->> 'table', record_id, kind ->> 'object');
  end if;
  return new;
end $$;
comment on function app.guard_comment() is
  'Row trigger of a table of comments: a kind with lines of its own, a record that the caller sees and that still takes such comments, 15 minutes '
  'to edit or delete, and mentions of those alone who may read the comment.';
