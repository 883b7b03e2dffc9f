-- Packages of Linux have no date of release, so the list of updates goes by when a device first reported them.

create index patches_company_created_idx on public.patches (company_id, created_at, id);
create index patches_created_idx on public.patches (created_at, id);
alter table public.policies alter column position set default 100;
