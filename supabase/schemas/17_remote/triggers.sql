select app.keep_tenant('public.remote_links');
select app.keep_audit('public.remote_links');
select app.keep_announced('public.remote_links');
select app.keep_search('public.remote_links');
