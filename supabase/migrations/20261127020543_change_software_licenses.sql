-- What licenses cost is read by those alone who may list license-costs.

select app.keep_hidden('public.software_licenses', 'cost', 'license-costs', 'list');
