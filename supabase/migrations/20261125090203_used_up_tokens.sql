-- A token whose uses are all taken refuses every machine, so lists must be able to leave it out.

alter table public.enrollment_tokens add column used_up boolean not null
  generated always as (max_uses is not null and used_count >= max_uses) stored;
comment on column public.enrollment_tokens.used_up is 'Whether as many machines enrolled with it as may. A machine that enrolls again counts again.';
drop trigger enrollment_tokens_audit_insert on public.enrollment_tokens;
drop trigger enrollment_tokens_audit_update on public.enrollment_tokens;
drop trigger enrollment_tokens_audit_delete on public.enrollment_tokens;
select app.keep_audit('public.enrollment_tokens', 'id', array['used_count', 'used_up']);
