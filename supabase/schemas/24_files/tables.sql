-- Files: what people upload to a record, whose room it takes, and what waits to be removed.

create table app.file_store (
  only_row boolean primary key default true check (only_row),
  max_file_mb integer not null check (max_file_mb between 1 and 5120),
  max_company_mb integer not null check (max_company_mb > 0),
  max_package_mb integer not null default 512 check (max_package_mb > 0),
  max_packages_mb integer not null default 10240 check (max_packages_mb > 0)
);
comment on table app.file_store is
  'The limits of the server, which writes them at its start: the largest file, and the room of a company, and both for packages of apps. Without '
  'a row, as on hosted Supabase, they are 25 and 10,240 MB, and no package can be uploaded.';

create table app.file_fields (
  resource text not null check (resource ~ '^[a-z][a-z0-9_]{0,62}$'),
  -- '' stands for the attachments of a record.
  field text not null,
  max_mb integer check (max_mb > 0),
  accept text[],
  object text not null,
  verbs text[] not null,
  -- A program for devices, with limits of its own; every other field refuses programs.
  is_package boolean not null default false,
  guard text check (guard ~ '^[a-z][a-z0-9_]{0,62}$'),
  primary key (resource, field)
);
comment on table app.file_fields is
  'Which tables have files, in which fields, and what these take: app.keep_files() writes it. A draft needs one of verbs on object; guard names the function of the schema app that holds the attachments of a record.';

create table app.file_use (
  company_id uuid primary key references public.companies (id) on delete cascade,
  bytes bigint not null default 0 check (bytes >= 0),
  package_bytes bigint not null default 0 check (package_bytes >= 0)
);
comment on table app.file_use is
  'The bytes of the files and of the packages of a company, with those announced and not yet uploaded. Its row is the lock of the quota: two uploads at once cannot both take the last room.';

create table app.file_removals (
  path text primary key,
  remove_after timestamptz not null default now(),
  attempts integer not null default 0
);
comment on table app.file_removals is
  'Objects of the bucket files whose row is gone. The server removes their bytes and tries again where the storage does not answer.';

create index file_removals_due_idx on app.file_removals (remove_after);

create table app.storage_server (
  only_row boolean primary key default true check (only_row),
  url text not null,
  secret_key text not null
);
comment on table app.storage_server is 'The address and secret key of a hosted project, with which app.tick() removes objects. Empty elsewhere.';

create table public.files (
  id uuid default gen_random_uuid() primary key,
  company_id uuid not null references public.companies (id),
  resource text not null check (resource ~ '^[a-z][a-z0-9_]{0,62}$'),
  record_id uuid,
  field text check (field ~ '^[a-z][a-z0-9_]{0,62}$'),
  name text not null check (length(name) between 1 and 200),
  type text not null default 'application/octet-stream' check (length(type) <= 120),
  size bigint not null check (size > 0),
  has_preview boolean not null default false,
  path text not null generated always as (company_id::text || '/' || id::text) stored,
  created_by uuid references public.profiles (id) on delete set null,
  created_by_name text check (length(created_by_name) <= 100),
  created_at timestamptz not null default now(),
  uploaded_at timestamptz,
  unique (company_id, id)
);
comment on table public.files is
  'Files of records. Whoever may read the record may read them, and nobody else; without a record a file is a draft of whoever uploads it, for a day. '
  'The bytes are in the bucket files under path, a preview under path.webp.';
comment on column public.files.resource is 'The table of the record.';
comment on column public.files.field is 'The field that holds the file; null for an attachment.';
comment on column public.files.type is 'By the content, where our own server took it; on hosted Supabase as the browser named it.';
comment on column public.files.uploaded_at is 'When public.finish_file() found all bytes; null for an upload under way.';

create index files_record_idx on public.files (resource, record_id, created_at, id);
create index files_company_idx on public.files (company_id, created_at, id);
create index files_author_idx on public.files (created_by, created_at);
create index files_drafts_idx on public.files (created_at) where record_id is null or uploaded_at is null;

alter table public.corporate_app_files add constraint corporate_app_files_company_id_file_id_fkey
  foreign key (company_id, file_id) references public.files (company_id, id);
