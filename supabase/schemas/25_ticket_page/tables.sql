create table public.ticket_jobs (
  company_id uuid not null references public.companies (id),
  ticket_id uuid not null,
  job_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (company_id, ticket_id, job_id),
  foreign key (company_id, ticket_id) references public.tickets (company_id, id) on delete cascade,
  foreign key (company_id, job_id) references public.jobs (company_id, id) on delete cascade
);
comment on table public.ticket_jobs is 'The jobs that were started from a ticket. public.run_on_ticket() writes them with the job.';

create index ticket_jobs_job_idx on public.ticket_jobs (company_id, job_id);
