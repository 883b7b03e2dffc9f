import { type AreaAccess, full, idOf, readOnly, script } from './access'

const schedule = { name: 'Nightly', target_kind: 'all', frequency: 'daily', time_of_day: '03:00' }

/** Scripts, when they run, and what came of it. */
export const scripts = {
  procedures: {
    commands: full('procedures'),
    row: (company) => ({ company_id: company.id, name: 'Script', ...script }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', ...script }),
    update: { description: 'x' },
  },
  procedure_versions: {
    commands: readOnly('procedure_versions'),
    row: (company) => ({
      company_id: company.id,
      procedure_id: idOf(company, 'procedures'),
      number: 7,
      ...script,
      parameters: [],
      timeout_seconds: 60,
      platforms: '{linux}',
    }),
    insert: (company) => ({
      company_id: company.id,
      procedure_id: idOf(company, 'procedures'),
      number: 8,
      ...script,
    }),
    update: { script: 'rm -rf /' },
  },
  procedure_stats: {
    commands: readOnly('procedures'),
    row: (company) => ({ company_id: company.id, procedure_id: idOf(company, 'procedures') }),
    insert: (company) => ({ company_id: company.id, procedure_id: idOf(company, 'procedures') }),
    update: { runs: 1000 },
    key: ({ procedure_id }) => ({ procedure_id }),
  },
  saved_commands: {
    hasTrash: true,
    commands: full('saved_commands'),
    row: (company) => ({ company_id: company.id, name: 'Command', type: 'Bash', command: 'uptime' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', type: 'Bash', command: 'uptime' }),
    update: { command: 'df' },
  },
  jobs: {
    commands: readOnly('jobs'),
    row: (company) => ({
      company_id: company.id,
      kind: 'command',
      name: 'Job',
      script_type: 'Bash',
      script: 'hostname',
      script_sha256: '0'.repeat(64),
      timeout_seconds: 60,
      expires_at: '2100-01-01',
    }),
    insert: (company) => ({ company_id: company.id, kind: 'command', name: 'Tried', script: 'hostname' }),
    update: { script: 'rm -rf /' },
  },
  job_runs: {
    commands: readOnly('job_runs'),
    row: (company) => ({
      company_id: company.id,
      job_id: idOf(company, 'jobs'),
      device_id: idOf(company, 'devices'),
    }),
    insert: (company) => ({
      company_id: company.id,
      job_id: idOf(company, 'jobs'),
      device_id: idOf(company, 'spare_devices'),
    }),
    update: { output: 'forged' },
  },
  procedure_logs: {
    commands: readOnly('procedure_logs'),
    row: (company) => ({
      company_id: company.id,
      procedure_name: 'Script',
      device_name: 'PC',
      status: 'success',
    }),
    insert: (company) => ({
      company_id: company.id,
      procedure_name: 'Script',
      device_name: 'PC',
      status: 'success',
    }),
    update: { output: 'forged' },
  },
  scheduled_tasks: {
    commands: full('scheduled_tasks'),
    row: (company) => ({ company_id: company.id, ...schedule, procedure_id: idOf(company, 'procedures') }),
    insert: (company) => ({
      company_id: company.id,
      ...schedule,
      name: 'Tried',
      procedure_id: idOf(company, 'procedures'),
    }),
    update: { enabled: false },
  },
} satisfies AreaAccess
