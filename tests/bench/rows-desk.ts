/**
 * The rows of the lists beyond the fleet itself: as many as there are devices in each, spread over the companies,
 * so that every list is measured at that size. Names carry a six-digit number, which a search can look for.
 */
import { COMPANY_OF, DEVICE_NAME, type Fleet, ID } from './fleet'
import type { Step } from './rows'

/** A resource of which a company has a single list has this many rows each, about as many as devices in all. */
export const perCompany = (f: Fleet) => Math.max(20, Math.round(f.devices / f.companies))
const CATEGORIES = 10
const PEOPLE_SHARE = 5
/** Updates that one device waits for, has or failed at. */
const PATCHES_EACH = 5

const pick = (values: readonly string[], n = 'i') =>
  `(array[${values.map((value) => `'${value}'`).join(',')}])[1 + ${n} % ${values.length}]`
const each = (f: Fleet, count = perCompany(f)) =>
  `generate_series(0, ${f.companies - 1}) as c, generate_series(0, ${count - 1}) as i`
const number = (f: Fleet) => `lpad((c * ${perCompany(f)} + i)::text, 6, '0')`
const at = (f: Fleet, n = 'n') => ID('company', `(${COMPANY_OF(f, n)})`)
/** The n-th device by its own company; `n` may run beyond the fleet and starts over. */
const folded = (f: Fleet, n = 'n') => `(1 + (${n} - 1) % ${f.devices})`

function desk(f: Fleet): Step[] {
  const n = folded(f)
  return [
    {
      table: 'ticket_categories',
      sql: `insert into public.ticket_categories (id, company_id, name, position)
        select ${ID('category', "c || '.' || i")}, ${ID('company', 'c')}, 'Konu ' || ${number(f)}, i
          from ${each(f, CATEGORIES)}`,
    },
    {
      table: 'ticket_issues',
      sql: `insert into public.ticket_issues (id, company_id, category_id, name, priority)
        select ${ID('issue', "c || '.' || i")}, ${ID('company', 'c')}, ${ID('category', `c || '.' || i % ${CATEGORIES}`)},
          'Yazıcı sorunu ' || ${number(f)}, ${pick(['low', 'normal', 'high', 'urgent'])}
          from ${each(f)}`,
    },
    {
      table: 'tickets',
      // Two a device. Its triggers stay out: the number is the row's.
      sql: `insert into public.tickets (company_id, number, subject, description, category_id, issue_id, priority, status, status_id,
          requester_id, assignee_id, device_id, due_at, resolved_at, created_at, search)
        select ${at(f, n)}, n, 'Ticket ' || lpad(n::text, 6, '0') || ' yazıcı', 'The printer does not print.',
          ${ID('category', `(${COMPANY_OF(f, n)}) || '.' || n % ${CATEGORIES}`)},
          ${ID('issue', `(${COMPANY_OF(f, n)}) || '.' || n % ${CATEGORIES}`)},
          ${pick(['low', 'normal', 'high', 'urgent'], 'n')}, ${pick(['open', 'waiting', 'resolved', 'closed'], 'n / 4')},
          (select s.id from public.ticket_statuses s where s.company_id = ${at(f, n)} and s.is_default
            and s.kind = ${pick(['open', 'waiting', 'resolved', 'closed'], 'n / 4')}),
          p.id, null, ${ID('device', n)}, now() + make_interval(mins => n % 90000),
          case when n / 4 % 4 > 1 then now() - make_interval(mins => n % 9000) end, now() - make_interval(mins => n),
          app.fold('#' || n || ' Ticket ' || lpad(n::text, 6, '0') || ' yazıcı The printer does not print.')
          from generate_series(1, ${2 * f.devices}) as n
          left join public.profiles p on p.email = 'person' || ${n} / ${PEOPLE_SHARE} || '@bench.test'`,
    },
    {
      table: 'tickets',
      sql: 'insert into app.tickets_search (company_id, id, search) select company_id, id, search from public.tickets',
    },
    {
      table: 'apps',
      sql: `insert into public.apps (name, publisher, category)
        select 'App ' || lpad(n::text, 6, '0'), 'Publisher ' || n % 97, ${pick(['browsers', 'media', 'security'], 'n')}
          from generate_series(1, ${f.devices}) as n`,
    },
    {
      table: 'corporate_apps',
      sql: `insert into public.corporate_apps (company_id, name, package_version, publisher, platform, source_url, sha256)
        select ${ID('company', 'c')}, 'Package ' || ${number(f)}, '1.' || i, 'Publisher ' || i % 97,
          ${pick(['windows', 'macos', 'linux'])}, 'https://packages.example/' || i, md5('a' || i) || md5('b' || i)
          from ${each(f)}`,
    },
    {
      table: 'jobs',
      sql: `insert into public.jobs (company_id, kind, name, script_type, script, script_sha256, timeout_seconds,
          expires_at, status, total, succeeded, failed, created_at)
        select ${at(f)}, ${pick(['procedure', 'command'], 'n')}, 'Job ' || lpad(n::text, 6, '0'), 'Bash', 'true',
          md5('a') || md5('b'), 300, now(), ${pick(['finished', 'cancelled', 'finished'], 'n')}, 1, 1, 0,
          now() - make_interval(mins => n)
          from generate_series(1, ${f.devices}) as n`,
    },
    {
      table: 'job_runs',
      sql: `insert into public.job_runs (company_id, job_id, device_id, status, attempt, queued_at, started_at, finished_at,
          exit_code)
        select d.company_id, j.id, d.id, ${pick(['succeeded', 'failed', 'succeeded', 'timed_out'], 'n')}, 1,
          j.created_at, j.created_at, j.created_at + make_interval(secs => n % 90), 0
          from (select id, company_id, row_number() over (partition by company_id order by id) as n from public.devices) d
          join (select id, company_id, created_at, row_number() over (partition by company_id order by id) as n
            from public.jobs) j using (company_id, n)`,
    },
    {
      table: 'scheduled_tasks',
      // A year ahead: time ticks at the benchmark too, and queues what is due.
      sql: `insert into public.scheduled_tasks (company_id, name, procedure_id, target_kind, target, frequency, time_of_day,
          next_run_at)
        select ${ID('company', 'c')}, 'Task ' || ${number(f)}, ${ID('procedure', "c || '.0'")}, 'all', '{"kind": "all"}', 'daily', '03:00',
          now() + interval '1 year' + make_interval(mins => i)
          from ${each(f)}`,
    },
  ]
}

function fleetLists(f: Fleet): Step[] {
  const patch = `(n * 7 + k * 97) % ${perCompany(f)}`
  return [
    {
      table: 'patches',
      sql: `insert into public.patches (id, company_id, title, kb_number, category, severity, size_mb, release_date, approval)
        select ${ID('patch', "c || '.' || i")}, ${ID('company', 'c')}, 'Update ' || ${number(f)}, 'KB' || ${number(f)},
          ${pick(['security', 'driver', 'feature'])}, ${pick(['critical', 'important', 'moderate', 'low'])}, i % 900,
          date '2026-01-01' + i % 300, ${pick(['pending', 'approved', 'denied'])}
          from ${each(f)}`,
    },
    {
      table: 'device_patches',
      sql: `insert into public.device_patches (company_id, device_id, patch_id, status, installed_at, title_key,
          device_key, severity)
        select p.company_id, ${ID('device', 'n')}, p.id, ${pick(['missing', 'installed', 'failed'], '(n + k)')},
          case when (n + k) % 3 = 1 then now() - make_interval(mins => n) end, p.title_key, d.name_key, p.severity
          from generate_series(1, ${f.devices}) as n cross join generate_series(0, ${PATCHES_EACH - 1}) as k
          join public.devices d on d.id = ${ID('device', 'n')}
          join public.patches p on p.id = ${ID('patch', `(${COMPANY_OF(f)}) || '.' || ${patch}`)}`,
    },
    {
      table: 'automations',
      sql: `insert into public.automations (company_id, name, trigger)
        select ${ID('company', 'c')}, 'Automation ' || ${number(f)}, ${pick(['manual', 'schedule', 'new_device', 'alert'])}
          from ${each(f)}`,
    },
    {
      table: 'policies',
      sql: `insert into public.policies (company_id, name, kind, position)
        select ${ID('company', 'c')}, 'Policy ' || ${number(f)}, ${pick(['patch', 'maintenance', 'agent', 'permission'])}, i
          from ${each(f)}`,
    },
    {
      table: 'software_licenses',
      sql: `insert into public.software_licenses (company_id, name, type, seats, detected, cost, purchased_on, expires_on)
        select ${ID('company', 'c')}, 'License ' || ${number(f)}, ${pick(['device', 'user', 'site'])}, 1 + i % 500, i % 400,
          i * 10, date '2026-01-01' + i % 300, date '2027-01-01' + i % 300
          from ${each(f)}`,
    },
    {
      table: 'enrollment_tokens',
      sql: `insert into public.enrollment_tokens (company_id, name, hint, expires_at)
        select ${ID('company', 'c')}, 'Token ' || ${number(f)}, 'abcd', now() + make_interval(hours => i)
          from ${each(f)}`,
    },
    {
      table: 'alerts',
      sql: `insert into public.alerts (company_id, monitor_id, device_id, severity, message, status, opened_at, resolved_at)
        select ${at(f)}, ${ID('monitor', `(${COMPANY_OF(f)}) || '.' || n % 4`)}, ${ID('device', 'n')},
          ${pick(['info', 'warning', 'critical'], 'n')}, 'Processor above 90 %, reading ' || lpad(n::text, 6, '0'),
          'resolved', now() - make_interval(mins => n), now() - make_interval(mins => n / 2)
          from generate_series(1, ${f.devices}) as n`,
    },
  ]
}

function journals(f: Fleet): Step[] {
  return [
    {
      table: 'audit_log',
      sql: `insert into public.audit_log (company_id, actor_email, table_name, row_id, action, changes, at)
        select ${at(f)}, 'big@bench.test', 'devices', ${ID('device', 'n')}, ${pick(['create', 'edit', 'delete'], 'n')},
          jsonb_build_object('name', jsonb_build_array('before', ${DEVICE_NAME()})), now() - make_interval(mins => n)
          from generate_series(1, ${f.devices}) as n`,
    },
    {
      table: 'failed_login_attempts',
      sql: `insert into public.failed_login_attempts (user_email, ip_address, user_agent, failure_reason, created_at)
        select 'person' || n || '@bench.test', '10.0.0.' || n % 256, 'Browser', 'Invalid login credentials',
          now() - make_interval(mins => n)
          from generate_series(1, ${f.devices}) as n`,
    },
    {
      table: 'notifications',
      // Everybody reads their own alone: the accounts that are measured have as many as there are devices together.
      sql: `insert into public.notifications (user_id, kind, created_at)
        select u.id, 'license_ending', now() - make_interval(mins => n)
          from (select id, row_number() over (order by email) - 1 as k, count(*) over () as of
                  from public.profiles where email !~ '^person') as u
          join generate_series(1, ${f.devices}) as n on n % u.of = u.k`,
    },
  ]
}

/** Accounts first, since tickets name their requester. */
export const people = (f: Fleet): Step[] => [
  {
    table: 'profiles',
    sql: `select count(app.create_auth_user('person' || n || '@bench.test', null, 'Kişi ' || lpad(n::text, 6, '0'), 'none'))
      from generate_series(1, ${Math.floor(f.devices / PEOPLE_SHARE)}) as n`,
  },
  {
    table: 'user_roles',
    sql: `insert into public.user_roles (user_id, role, company_id)
      select p.id, 'Standard', ${at(f, `(n * ${PEOPLE_SHARE})`)}
        from generate_series(1, ${Math.floor(f.devices / PEOPLE_SHARE)}) as n
        join public.profiles p on p.email = 'person' || n || '@bench.test'`,
  },
]

export const listSteps = (f: Fleet): Step[] => [...people(f), ...desk(f), ...fleetLists(f), ...journals(f)]
