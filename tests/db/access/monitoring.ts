import { type AreaAccess, full, idOf, linkOf, readOnly } from './access'

/** Monitors, alerts and automations. */
export const monitoring = {
  monitors: {
    commands: full('monitors'),
    row: (company) => ({ company_id: company.id, name: 'Disk', type: 'Performance' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', type: 'Service', service_name: 'ssh' }),
    update: { enabled: false },
  },
  alerts: {
    commands: {
      select: { object: 'alerts', verb: 'list' },
      update: { object: 'alerts', verb: 'edit' },
      delete: { object: 'alerts', verb: 'delete' },
    },
    row: (company) => ({
      company_id: company.id,
      monitor_id: idOf(company, 'monitors'),
      device_id: idOf(company, 'devices'),
    }),
    insert: (company) => ({
      company_id: company.id,
      monitor_id: idOf(company, 'monitors'),
      device_id: idOf(company, 'spare_devices'),
    }),
    update: { status: 'acknowledged' },
  },
  monitor_states: {
    commands: readOnly('monitor_states'),
    row: (company) => ({
      company_id: company.id,
      monitor_id: idOf(company, 'monitors'),
      device_id: idOf(company, 'devices'),
      state: 'ok',
    }),
    insert: (company) => ({
      company_id: company.id,
      monitor_id: idOf(company, 'monitors'),
      device_id: idOf(company, 'spare_devices'),
    }),
    update: { state: 'failing' },
  },
  monitor_groups: {
    commands: {
      select: { object: 'monitors', verb: 'list' },
      insert: { object: 'monitors', verb: 'edit' },
      delete: { object: 'monitors', verb: 'edit' },
    },
    row: (company) => ({
      company_id: company.id,
      monitor_id: idOf(company, 'monitors'),
      group_id: idOf(company, 'spare_groups'),
    }),
    insert: (company) => ({
      company_id: company.id,
      monitor_id: idOf(company, 'monitors'),
      group_id: idOf(company, 'groups'),
    }),
    update: { group_id: '00000000-0000-4000-8000-000000000000' },
    key: ({ company_id, monitor_id, group_id }) => ({ company_id, monitor_id, group_id }),
  },
  automations: {
    commands: full('automations'),
    row: (company) => ({ company_id: company.id, name: 'Automation' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', trigger: 'alert' }),
    update: { enabled: false },
  },
  automation_monitors: {
    commands: linkOf('automation_monitors', 'automations'),
    row: (company) => ({
      company_id: company.id,
      automation_id: idOf(company, 'automations'),
      monitor_id: idOf(company, 'monitors'),
    }),
    insert: (company) => ({
      company_id: company.id,
      automation_id: idOf(company, 'automations'),
      monitor_id: idOf(company, 'spare_monitors'),
    }),
    update: { added_at: '2020-01-01' },
    key: ({ company_id, automation_id, monitor_id }) => ({ company_id, automation_id, monitor_id }),
  },
  automation_steps: {
    commands: full('automation_steps'),
    row: (company) => ({
      company_id: company.id,
      automation_id: idOf(company, 'automations'),
      procedure_id: idOf(company, 'procedures'),
    }),
    insert: (company) => ({
      company_id: company.id,
      automation_id: idOf(company, 'automations'),
      procedure_id: idOf(company, 'spare_procedures'),
    }),
    update: { on_failure: 'continue' },
  },
  automation_runs: {
    commands: readOnly('automation_runs'),
    row: (company) => ({
      company_id: company.id,
      automation_id: idOf(company, 'automations'),
      device_id: idOf(company, 'devices'),
      trigger: 'manual',
    }),
    insert: (company) => ({
      company_id: company.id,
      automation_id: idOf(company, 'automations'),
      device_id: idOf(company, 'spare_devices'),
      trigger: 'manual',
    }),
    update: { status: 'succeeded' },
  },
  automation_devices: {
    commands: linkOf('automation_devices', 'automations'),
    row: (company) => ({
      company_id: company.id,
      automation_id: idOf(company, 'automations'),
      device_id: idOf(company, 'devices'),
    }),
    insert: (company) => ({
      company_id: company.id,
      automation_id: idOf(company, 'automations'),
      device_id: idOf(company, 'spare_devices'),
    }),
    update: { added_at: '2020-01-01' },
    key: ({ company_id, automation_id, device_id }) => ({ company_id, automation_id, device_id }),
  },
  automation_groups: {
    commands: linkOf('automation_groups', 'automations'),
    row: (company) => ({
      company_id: company.id,
      automation_id: idOf(company, 'automations'),
      group_id: idOf(company, 'spare_groups'),
    }),
    insert: (company) => ({
      company_id: company.id,
      automation_id: idOf(company, 'automations'),
      group_id: idOf(company, 'groups'),
    }),
    update: { added_at: '2020-01-01' },
    key: ({ company_id, automation_id, group_id }) => ({ company_id, automation_id, group_id }),
  },
} satisfies AreaAccess
