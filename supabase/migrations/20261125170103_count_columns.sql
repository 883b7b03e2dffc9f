-- Two triggers lost columns when several changes of one day replaced them.

drop trigger jobs_audit_insert on public.jobs;
drop trigger jobs_audit_update on public.jobs;
drop trigger jobs_audit_delete on public.jobs;
select app.keep_audit('public.jobs', 'id', array['total', 'succeeded', 'failed', 'canceled', 'outcome', 'automation_id']);

create or replace trigger software_licenses_touch before update on public.software_licenses for each row
  execute function app.touch('name', 'publisher', 'type', 'seats', 'cost', 'currency', 'purchased_on', 'expires_on', 'match_rule', 'notes',
    'remind_days');
