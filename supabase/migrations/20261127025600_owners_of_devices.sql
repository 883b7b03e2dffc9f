-- Who uses a device: requesters pick their own devices in a ticket.

alter table public.devices add column owner_id uuid references public.profiles (id) on delete set null;
create index devices_company_owner_id_idx on public.devices (company_id, owner_id);
create index devices_owner_id_idx on public.devices (owner_id);
grant update (owner_id) on public.devices to authenticated;

comment on column public.devices.owner_id is 'Who uses the device, as the desk has noted it: requesters pick their own devices in a ticket.';

-- The owner counts for the version of a device: it is edited by hand.
drop trigger devices_touch on public.devices;
drop trigger devices_immutable_tenant on public.devices;
drop trigger devices_permission on public.devices;
select app.keep_tenant('public.devices', null, array['name', 'notes', 'owner_id']);
