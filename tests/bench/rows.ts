/**
 * The rows of the benchmark, written set by set: one statement a table, each a function of its row's number.
 * Every statement stands alone, because a pooled connection keeps no session state between two of them.
 */
import { COMPANY_OF, DEVICE_NAME, type Fleet, ID, SERIAL } from './fleet'
import { perCompany } from './rows-desk'

export interface Step {
  table: string
  sql: string
}

const series = (count: number, name = 'n') => `generate_series(1, ${count}) as ${name}`
const companies = (f: Fleet) => `generate_series(0, ${f.companies - 1}) as c`

/** These need their own triggers: versions of scripts, and who may see what. */
export const LOUD: readonly string[] = ['procedures', 'companies']

const OS = "(array['Windows 11','Windows 10','Ubuntu','macOS','Debian GNU/Linux'])"
/** Titles on one device. */
const TITLES_EACH = 5
/** Groups that have devices, and monitors that have open alerts: the first of each company. */
const GROUPS = 5
const MONITORS = 4

export function steps(f: Fleet): Step[] {
  const PER = perCompany(f)
  const numbered = (i: string) => `lpad((c * ${PER} + ${i})::text, 6, '0')`
  return [
    {
      table: 'companies',
      sql: `insert into public.companies (id, name, status, license_type, license_end_date, seats)
        select ${ID('company', 'c')}, 'Company ' || lpad(c::text, 3, '0'), 'Active', 'Pro', now() + interval '1 year', 100000
          from ${companies(f)}`,
    },
    {
      table: 'groups',
      sql: `insert into public.groups (id, company_id, name, description)
        select ${ID('group', "c || '.' || g")}, ${ID('company', 'c')}, 'Group ' || ${numbered('g')}, 'Devices whose number ends in ' || g
          from ${companies(f)}, generate_series(0, ${PER - 1}) as g`,
    },
    {
      table: 'devices',
      sql: `insert into public.devices (id, company_id, name, hostname, status, offline_since, os, os_version, platform,
          make, model, serial, cpu, cpu_cores, memory_mb, ip_address, logged_in_user, agent_version, machine_id,
          boot_time, reboot_required, enrolled_at)
        select ${ID('device', 'n')}, ${ID('company', `(${COMPANY_OF(f)})`)}, ${DEVICE_NAME()}, lower(${DEVICE_NAME()}),
          case when n % 5 = 0 then 'offline' else 'online' end,
          case when n % 5 = 0 then now() - make_interval(mins => n % 40000) end,
          ${OS}[1 + n % 7 % 5], (10 + n % 3) || '.' || n % 7,
          case when n % 7 % 5 < 2 then 'windows' when n % 7 % 5 = 3 then 'macos' else 'linux' end,
          (array['Dell','Lenovo','HP','Apple'])[1 + n % 4], 'Model ' || n % 40, ${SERIAL()},
          'Core i' || (5 + n % 3), 4 + 4 * (n % 3), 8192 * (1 + n % 4),
          '10.' || n / 65536 || '.' || n / 256 % 256 || '.' || n % 256, 'user' || n % 900, '1.0.0', 'machine-' || n,
          now() - make_interval(hours => n % 700), n % 11 = 0, now() - make_interval(days => n % 900)
          from ${series(f.devices)}`,
    },
    {
      table: 'device_presence',
      sql: `insert into public.device_presence (company_id, device_id, last_seen_at, online, cpu_percent, memory_percent,
          disk_percent, interval_seconds, inventory_hash)
        select d.company_id, d.id, coalesce(d.offline_since, now()), d.status = 'online', n % 100, n % 90, n % 80, 333,
          'inventory-' || n
          from ${series(f.devices)} join public.devices d on d.id = ${ID('device', 'n')}`,
    },
    {
      table: 'device_secrets',
      sql: `insert into app.device_secrets (device_id, company_id, secret_hash)
        select d.id, d.company_id, sha256(convert_to('bench-device-secret-' || n, 'UTF8'))
          from ${series(f.devices)} join public.devices d on d.id = ${ID('device', 'n')}`,
    },
    {
      table: 'group_devices',
      sql: `insert into public.group_devices (company_id, group_id, device_id)
        select ${ID('company', `(${COMPANY_OF(f)})`)}, ${ID('group', `(${COMPANY_OF(f)}) || '.' || n % ${GROUPS}`)}, ${ID('device', 'n')}
          from ${series(f.devices)}`,
    },
    {
      table: 'software',
      sql: `insert into public.software (id, company_id, name, publisher)
        select ${ID('software', "c || '.' || t")}, ${ID('company', 'c')}, 'Title ' || ${numbered('t')}, 'Publisher ' || t % 97
          from ${companies(f)}, generate_series(0, ${PER - 1}) as t`,
    },
    {
      table: 'device_software',
      // The keys it is sorted by are copies, which its trigger would look up row by row.
      sql: `insert into public.device_software (company_id, device_id, software_id, version, install_date, size_mb,
          title_key, publisher_key, device_key)
        select s.company_id, ${ID('device', 'n')}, s.id, '1.' || n % 9, date '2026-01-01' + n % 300, 10 + n % 500,
          s.name_key, app.sort_key(s.publisher), d.name_key
          from ${series(f.devices)} cross join generate_series(0, ${TITLES_EACH - 1}) as k
          join public.devices d on d.id = ${ID('device', 'n')}
          join public.software s on s.id = ${ID('software', `(${COMPANY_OF(f)}) || '.' || (n + 97 * k) % ${PER}`)}`,
    },
    {
      table: 'procedures',
      sql: `insert into public.procedures (id, company_id, name, description, type, category, script)
        select ${ID('procedure', "c || '.' || p")}, ${ID('company', 'c')}, 'Procedure ' || ${numbered('p')}, 'Reads a figure',
          (array['PowerShell','Batch','Python','Bash'])[1 + p % 4], 'Maintenance', 'print(1)'
          from ${companies(f)}, generate_series(0, ${PER - 1}) as p`,
    },
    {
      table: 'procedure_logs',
      sql: `insert into public.procedure_logs (company_id, procedure_id, procedure_name, device_id, device_name,
          executed_at, status, output)
        select d.company_id, ${ID('procedure', `(${COMPANY_OF(f)}) || '.' || n % 10`)},
          'Procedure ' || n % 10, d.id, d.name, now() - make_interval(secs => n * 20),
          case when n % 9 = 0 then 'error' else 'success' end, 'Output of run ' || n
          from ${series(f.devices)} join public.devices d on d.id = ${ID('device', 'n')}`,
    },
    {
      table: 'monitors',
      // A monitor is not active while it has an open alert: what the trigger of alerts would say.
      sql: `insert into public.monitors (id, company_id, name, description, type, severity, threshold, is_active)
        select ${ID('monitor', "c || '.' || m")}, ${ID('company', 'c')}, 'Monitor ' || ${numbered('m')}, 'Watches the processor',
          'Performance', 'warning', '> 90 %', not (m < ${MONITORS} and (c + m) % 5 = 0)
          from ${companies(f)}, generate_series(0, ${PER - 1}) as m`,
    },
    {
      table: 'alerts',
      sql: `insert into public.alerts (company_id, monitor_id, device_id, severity, message)
        select ${ID('company', 'c')}, ${ID('monitor', "c || '.' || m")},
          ${ID('device', `case when c = 0 then 1 when c = ${f.companies - 1} then ${f.devices} else ${f.big} + c end`)},
          'warning', 'Processor above 90 %'
          from ${companies(f)}, generate_series(0, ${MONITORS - 1}) as m where (c + m) % 5 = 0`,
    },
  ]
}
