-- Whether a limit left out an update: the two lists are compared as a whole, not title by title. Updates of Linux have
-- no KB number, by which the index found them: 1,000 of them took a second.
create or replace function app.record_patches(company uuid, device uuid, report jsonb) returns void
  language plpgsql set search_path = '' as $$
declare
  cut boolean;
begin
  perform app.match_patches(company, device, report);
  if jsonb_typeof(report -> 'missing') is distinct from 'array' then
    return;
  end if;
  -- Where a limit left one out, nobody can say that the device lacks nothing. A device that lacks nothing has no row that would say so.
  cut := exists (
    select m.title, m.kb_number
    from (
      select btrim(app.short_text(e -> 'title', 300)) as title, coalesce(btrim(app.short_text(e -> 'kb_number', 40)), '') as kb_number
      from jsonb_array_elements(report -> 'missing') e where jsonb_typeof(e) = 'object'
    ) m
    where m.title <> ''
    except
    select p.title, p.kb_number
    from public.device_patches t join public.patches p on p.company_id = t.company_id and p.id = t.patch_id
    where t.company_id = company and t.device_id = device);
  update public.devices d set updates_cut = cut, updates_known = not cut
    where d.company_id = company and d.id = device and (d.updates_cut, d.updates_known) is distinct from (cut, not cut);
end $$;
