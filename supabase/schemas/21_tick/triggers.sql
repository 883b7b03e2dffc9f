-- Where pg_cron exists (hosted) the database calls app.tick() every minute; elsewhere the server's timer does.
do $$
begin
  if exists (select 1 from pg_catalog.pg_available_extensions where name = 'pg_cron') then
    create extension if not exists pg_cron;
    perform cron.schedule('konsol-tick', '* * * * *', 'select app.tick()');
  end if;
exception when others then
  raise notice 'pg_cron does not call app.tick() here: %', sqlerrm;
end $$;
