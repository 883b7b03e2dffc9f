-- Tags say how many devices have them.

-- A device that gets a tag must not outdate an open form, count as an edit of the tag or leave an audit row of it.
drop trigger tags_touch on public.tags;
drop trigger tags_audit_insert on public.tags;
drop trigger tags_audit_update on public.tags;
drop trigger tags_audit_delete on public.tags;
alter table public.tags add column device_count integer not null default 0;
comment on column public.tags.device_count is 'Devices with the tag. Kept by trigger.';
update public.tags t set device_count = c.devices
  from (select d.company_id, d.tag_id, count(*)::integer as devices from public.device_tags d group by d.company_id, d.tag_id) c
  where t.company_id = c.company_id and t.id = c.tag_id;
create trigger tags_touch before update of name on public.tags for each row execute function app.touch();
select app.keep_audit('public.tags', 'id', array['device_count']);
create index tags_company_count_idx on public.tags (company_id, device_count, id);
create index tags_count_idx on public.tags (device_count, id);

-- Security definer: the column is nobody's to write.
create function app.count_tag_devices() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- One order for all, so that two statements over the same tags never wait for each other crosswise.
  perform 1 from public.tags t where t.id in (select distinct c.tag_id from changed c)
    order by t.id for no key update;
  update public.tags t
    set device_count = t.device_count + c.devices * case when tg_op = 'INSERT' then 1 else -1 end
    from (select c.company_id, c.tag_id, count(*)::integer as devices from changed c group by c.company_id, c.tag_id) c
    where t.company_id = c.company_id and t.id = c.tag_id;
  return null;
end $$;
comment on function app.count_tag_devices() is 'Statement trigger of device_tags: keeps tags.device_count.';
revoke execute on function app.count_tag_devices() from public;
create trigger device_tags_count_insert after insert on public.device_tags
  referencing new table as changed for each statement execute function app.count_tag_devices();
create trigger device_tags_count_delete after delete on public.device_tags
  referencing old table as changed for each statement execute function app.count_tag_devices();
