-- Who uploaded and deleted which package is in the audit log.

select app.keep_audit('public.corporate_app_files', 'id', array['is_current']);

-- Security definer, as before.
create or replace function app.audit_name(table_name text, doc jsonb) returns text
  language plpgsql stable security definer set search_path = '' as $$
declare
  company uuid := (doc ->> 'company_id')::uuid;
begin
  return "left"(case table_name
    when 'tickets' then format('#%s · %s', doc ->> 'number', doc ->> 'subject')
    when 'alerts' then doc ->> 'message'
    when 'user_roles' then (select coalesce(p.name, p.email) from public.profiles p where p.id = (doc ->> 'user_id')::uuid)
    when 'job_runs' then (
      select format('%s · %s', j.name, d.name) from public.jobs j, public.devices d
      where j.company_id = company and j.id = (doc ->> 'job_id')::uuid
        and d.company_id = company and d.id = (doc ->> 'device_id')::uuid)
    when 'group_devices' then (
      select g.name from public.groups g where g.company_id = company and g.id = (doc ->> 'group_id')::uuid)
    when 'policy_groups' then (
      select p.name from public.policies p where p.company_id = company and p.id = (doc ->> 'policy_id')::uuid)
    when 'corporate_app_files' then (
      select concat_ws(' ', a.name, doc ->> 'package_version') from public.corporate_apps a
      where a.company_id = company and a.id = (doc ->> 'corporate_app_id')::uuid)
    else case
      when table_name like 'automation\_%' then (
        select a.name from public.automations a where a.company_id = company and a.id = (doc ->> 'automation_id')::uuid)
      else coalesce(doc ->> 'name', doc ->> 'title', doc ->> 'hostname', doc ->> 'email')
    end
  end, 200);
end $$;

-- Whoever may list packages reads their rows and their part of the audit log.
alter policy corporate_app_files_select_member on public.corporate_app_files
  using ((select app.can('corporate_app_files', 'list')) and ((select app.sees_all()) or company_id = (select app.own_company())));
