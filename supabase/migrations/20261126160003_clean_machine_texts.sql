-- Texts of machines ---------------------------------------------------------------------------------------------------
-- Names keep their joined emoji; disks and network adapters are cleaned as all other texts; hardware without a value is null.

create or replace function app.clean_text(value text, most integer) returns text
  language sql immutable parallel safe
  return pg_catalog."left"(pg_catalog.btrim(pg_catalog.regexp_replace(pg_catalog.regexp_replace(pg_catalog.regexp_replace(
    -- A joiner stays between two pictures, where it makes one of them. Looking around is slow, and few texts hold one.
    case when pg_catalog.strpos(value, U&'\200D') = 0 then value else pg_catalog.regexp_replace(value,
      '(?<![\u2190-\u2bff\ufe0f\U0001f000-\U0001faff])\u200d|\u200d(?![\u2190-\u2bff\U0001f000-\U0001faff])', '', 'g') end,
    '[\u0001-\u001f\u007f-\u009f]+', ' ', 'g'), '[\u061c\u200b\u200c\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]+', '', 'g'),
    '([\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{2})[\u0300-\u036f\u0483-\u0489\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+',
    '\1', 'g')), most);
comment on function app.clean_text(text, integer) is
  'Text from a machine: control characters, invisible characters and marks that turn the direction of text out, except the joiner inside an '
  'emoji; two combining marks on a letter at most; trimmed, cut to length.';

create function app.hardware_text(value jsonb, max_length integer) returns text
  language sql immutable parallel safe
return (
  select case when t !~* '^(to be filled( by o\.?e\.?m\.?.*)?|default( string)?|not (specified|applicable|available|set|settable|present|defined)|(system|chassis|base ?board|board|product) (manufacturer|product ?name|name|serial( number)?|version|model)|\(?(none|null|empty|invalid|undefined|unknown)\)?|n/?a|tbd|o\.?e\.?m\.?|serial( number)?|s/?n|0?123456789?0?|[0-]+|f{4,}|x+|\.+|\*+)$'
    then t end
  from app.short_text(value, max_length) as t
);
comment on function app.hardware_text(jsonb, integer) is
  'A text of a machine''s firmware; null for what makers leave where they fill in nothing. agent/inventory/shared.ts has the same words.';

create function app.clean_entries(list jsonb, max_entries integer) returns jsonb
  language sql immutable parallel safe
return case when jsonb_typeof(list) <> 'array' then '[]' else (
  select coalesce(jsonb_agg(bounded.entry order by bounded.position), '[]')
  from (
    select cleaned.entry, cleaned.position, sum(octet_length(cleaned.entry::text)) over (order by cleaned.position) as bytes
    from (
      select e.position, (
        select coalesce(jsonb_object_agg(k.key, case jsonb_typeof(k.value)
            when 'string' then to_jsonb(app.clean_text(left(k.value #>> '{}', 600), 300))
            when 'array' then (
              select coalesce(jsonb_agg(app.clean_text(left(a.item #>> '{}', 200), 100) order by a.position), '[]')
              from jsonb_array_elements(k.value) with ordinality as a (item, position)
              where a.position <= 50 and jsonb_typeof(a.item) = 'string')
            else k.value end), '{}')
        from jsonb_each(e.item) k
        where k.key ~ '^[a-z_]{1,40}$' and jsonb_typeof(k.value) <> 'object'
      ) as entry
      from jsonb_array_elements(list) with ordinality as e (item, position)
      where e.position <= max_entries and jsonb_typeof(e.item) = 'object'
    ) cleaned
  ) bounded
  where bounded.bytes <= 65536
) end;
comment on function app.clean_entries(jsonb, integer) is
  'The first entries of a list of disks or network adapters, 64 kB at most, with every text cleaned. A list that is too long loses its end, '
  'not all of it.';

create function app.past_instant(value text) returns timestamptz
  language sql stable parallel safe
return (
  select case when t between timestamptz '2000-01-01 00:00:00Z' and now() + interval '10 minutes' then least(t, now()) end
  from app.lenient_instant(value) as t
);
comment on function app.past_instant(text) is
  'An instant that a machine says has passed; null where its clock cannot be right.';

create or replace function app.record_inventory(company uuid, device uuid, inventory jsonb) returns void
  language plpgsql set search_path = '' as $$
begin
  if jsonb_typeof(inventory) is distinct from 'object' then
    raise exception 'The inventory must be an object.' using errcode = 'PT400';
  end if;
  update public.devices d
    set name = case when d.name = left(d.hostname, 200) then coalesce(left(i.hostname, 200), d.name) else d.name end,
      hostname = coalesce(i.hostname, d.hostname), os = i.os, os_version = i.os_version, make = i.make,
      model = i.model, serial = i.serial, cpu = i.cpu, gpu = i.gpu, cpu_cores = i.cpu_cores, memory_mb = i.memory_mb,
      disks = i.disks, network = i.network, ip_address = i.ip_address, logged_in_user = i.logged_in_user,
      boot_time = i.boot_time, reboot_required = i.reboot_required, timezone = i.timezone
    from (
      select app.short_text(inventory -> 'hostname', 253) as hostname, app.short_text(inventory -> 'os', 120) as os,
        app.short_text(inventory -> 'os_version', 120) as os_version, app.hardware_text(inventory -> 'make', 120) as make,
        app.hardware_text(inventory -> 'model', 120) as model, app.hardware_text(inventory -> 'serial', 120) as serial,
        app.short_text(inventory -> 'cpu', 200) as cpu, app.short_text(inventory -> 'gpu', 400) as gpu, app.whole_number(inventory -> 'cpu_cores') as cpu_cores,
        app.whole_number(inventory -> 'memory_mb') as memory_mb,
        app.clean_entries(inventory -> 'disks', 200) as disks,
        app.clean_entries(inventory -> 'network', 200) as network,
        app.short_text(inventory -> 'ip_address', 64) as ip_address,
        app.short_text(inventory -> 'logged_in_user', 120) as logged_in_user,
        app.past_instant(inventory ->> 'boot_time') as boot_time,
        coalesce(inventory -> 'reboot_required' = 'true', false) as reboot_required,
        app.known_zone(app.short_text(inventory -> 'timezone', 64)) as timezone
    ) i
    where d.company_id = company and d.id = device
      and (d.hostname, d.os, d.os_version, d.make, d.model, d.serial, d.cpu, d.gpu, d.cpu_cores, d.memory_mb, d.disks,
        d.network, d.ip_address, d.logged_in_user, d.boot_time, d.reboot_required, d.timezone)
      is distinct from (coalesce(i.hostname, d.hostname), i.os, i.os_version, i.make, i.model, i.serial, i.cpu, i.gpu,
        i.cpu_cores, i.memory_mb, i.disks, i.network, i.ip_address, i.logged_in_user, i.boot_time, i.reboot_required, i.timezone);
  if jsonb_typeof(inventory -> 'software') = 'array' then
    if jsonb_array_length(inventory -> 'software') > 5000 then
      raise exception 'The software list is too long.' using errcode = 'PT413';
    end if;
    perform app.apply_inventory(device, company, inventory -> 'software');
  end if;
  if jsonb_typeof(inventory -> 'patches') = 'object' then
    perform app.record_patches(company, device, inventory -> 'patches');
  end if;
end $$;
