select app.keep_tenant('public.enrollment_requests', null, array['status', 'device_id']);
select app.keep_audit('public.enrollment_requests', 'id', array['last_asked_at']);
select app.keep_announced('public.enrollment_requests');
select app.keep_search('public.enrollment_requests');
create trigger enrollment_requests_bound before insert on public.enrollment_requests
  for each row when (new.status = 'pending') execute function app.bound_requests();
