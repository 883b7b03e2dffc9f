-- Pages of a record tell each other who looks at it and who writes: clients may broadcast on the topics of records.
do $$
begin
  if to_regclass('realtime.messages') is not null and to_regprocedure('realtime.topic()') is not null then
    execute 'create policy konsol_messages_insert_member on realtime.messages for insert to authenticated '
      || 'with check ((select realtime.topic()) like ''record:%'' and extension = ''broadcast'' and (select app.can_listen((select realtime.topic()))))';
  end if;
exception when insufficient_privilege or duplicate_object then
  raise notice 'realtime.messages keeps its policies: %', sqlerrm;
end $$;
