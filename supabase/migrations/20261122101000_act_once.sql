-- An action over many rows is none of those actions: called by itself, as deep as its arguments were nested, it exhausted the
-- stack of the embedded database, which is then broken for everybody.

create or replace function app.act_statement(act text, argument text, args jsonb, out statement text, out is_single boolean)
  language plpgsql stable set search_path = '' as $$
begin
  -- A caller reaches no function this way that the API would not let them call; and not itself, or its arguments would say
  -- how deep it goes.
  select format('select %s from %s%I.%I(%s)', case when f.counts then 'q.reached' else 'null::bigint' end,
      case when f.typed is null then '' else format('jsonb_to_record($2) as p (%s) cross join lateral ', f.typed) end,
      'public', act, concat_ws(', ', format('%I => %s', argument, case when f.single then '($1)[1]' else '$1' end), f.passed))
      || case when f.counts then ' as q (reached)' else '' end,
    f.single
  into statement, is_single
  from (
    select p.oid, not p.proretset and p.prorettype in ('integer'::regtype, 'bigint'::regtype) as counts,
      bool_or(a.name = argument and a.type = 'uuid'::regtype) as single,
      bool_or(a.name = argument and a.type in ('uuid'::regtype, 'uuid[]'::regtype)) as takes_rows,
      count(*) filter (where args ? a.name and a.name <> argument) as known,
      string_agg(format('%I %s', a.name, pg_catalog.format_type(a.type, null)), ', ') filter (where args ? a.name) as typed,
      string_agg(format('%1$I => p.%1$I', a.name), ', ') filter (where args ? a.name) as passed
    from pg_catalog.pg_proc p
    cross join lateral unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargnames, p.proargmodes) as a (type, name, mode)
    where p.pronamespace = 'public'::regnamespace and p.proname = act and act <> 'bulk_act' and p.prokind = 'f'
      and coalesce(a.mode, 'i') in ('i', 'b') and has_function_privilege(p.oid, 'execute')
    group by p.oid
  ) f
  where f.takes_rows and not args ? argument and f.known = (select count(*) from jsonb_object_keys(args))
  order by f.oid limit 1;
  if statement is null then
    raise exception using errcode = '22023', message = format('there is no action %L over %L with such arguments', act, argument);
  end if;
end $$;
