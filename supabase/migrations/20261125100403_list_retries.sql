-- A task lists its retries, newest first.

drop index public.jobs_company_retry_of_idx;
create index jobs_company_retry_of_idx on public.jobs (company_id, retry_of, created_at, id);
create index jobs_retry_of_idx on public.jobs (retry_of, created_at, id) where retry_of is not null;
