import type { Database } from '@/data/database.types'
import { createAccount, createCompany, type Licence } from '../support/accounts'
import type { TestBackend } from '../support/backend'
import { insertInto, type Values } from './as-user'

export type TableName = keyof Database['public']['Tables']
export type Command = 'select' | 'insert' | 'update' | 'delete'

/** One row of every table of a company, by table name, with the ids a test needs beside them. */
export type Company = {
  id: string
  memberId: string
  newcomerId: string
  empty: string
  rows: Record<string, Values>
}

interface Verb {
  object: string
  verb: string
}

/**
 * Who may do what with a table, said once. A command that is not named is granted to nobody.
 * The role's lines decide; `reach` says on which rows.
 */
export interface TableAccess {
  commands: Partial<Record<Command, Verb | 'anyone' | 'own company' | 'self'>>
  /** The row that exists in every company. */
  row: (company: Company) => Values
  insert?: (company: Company) => Values
  update?: Values
  key?: (row: Values) => Values
  /** Rows that only somebody who sees all companies reaches. */
  platformOnly?: Command[]
  /** Rows of the platform and of no company: whoever may read them reaches all. */
  isShared?: boolean
  /** Without this permission somebody reaches only rows of their own, which none of these are. */
  foreign?: Verb
  /** Deletes aim at this key instead, where the row itself is held by others. */
  deleteKey?: (company: Company) => Values
}

const full = (object: string): TableAccess['commands'] => ({
  select: { object, verb: 'list' },
  insert: { object, verb: 'create' },
  update: { object, verb: 'edit' },
  delete: { object, verb: 'delete' },
})
const readOnly = (object: string): TableAccess['commands'] => ({ select: { object, verb: 'list' } })
/** A table between two records: writing it is editing the one it belongs to. */
const linkOf = (table: string, owner: string): TableAccess['commands'] => ({
  select: { object: table, verb: 'list' },
  insert: { object: owner, verb: 'edit' },
  delete: { object: owner, verb: 'edit' },
})
const idOf = (company: Company, table: string): unknown => company.rows[table]?.id
const script = { type: 'Bash', script: 'hostname' }
const corporateApp = {
  name: 'ERP',
  package_version: '1.0',
  source_url: 'https://packages.example.test/erp.msi',
  sha256: '0'.repeat(64),
}
const schedule = { name: 'Nightly', target_kind: 'all', frequency: 'daily', time_of_day: '03:00' }

/** In an order in which each row can be made: what it refers to stands above it. */
export const TABLES: Record<TableName, TableAccess> = {
  companies: {
    commands: { ...full('companies'), select: 'own company' },
    row: (company) => ({ id: company.id }),
    insert: () => ({ name: 'Tried' }),
    update: { name: 'Renamed' },
    platformOnly: ['insert', 'delete'],
    deleteKey: (company) => ({ id: company.empty }),
  },
  profiles: {
    commands: { select: { object: 'profiles', verb: 'list' }, update: 'self' },
    row: (company) => ({ id: company.memberId }),
    update: { name: 'Renamed' },
  },
  user_roles: {
    commands: full('user_roles'),
    row: (company) => ({ user_id: company.memberId }),
    insert: (company) => ({ user_id: company.newcomerId, role: 'Standard', company_id: company.id }),
    update: { role: 'Teknik' },
    key: (row) => ({ user_id: row.user_id }),
  },
  failed_login_attempts: {
    commands: { select: { object: 'failed_login_attempts', verb: 'list' }, insert: 'anyone' },
    row: () => ({ user_email: 'somebody@example.test', failure_reason: 'Invalid login credentials' }),
    insert: () => ({
      user_email: 'somebody@example.test',
      ip_address: 'browser',
      user_agent: 'x',
      failure_reason: 'y',
    }),
    update: { failure_reason: 'Nothing happened' },
    platformOnly: ['select'],
  },
  audit_log: {
    commands: readOnly('audit_log'),
    row: (company) => ({ company_id: company.id, table_name: 'devices', row_id: company.id, action: 'edit' }),
    insert: (company) => ({
      company_id: company.id,
      table_name: 'devices',
      row_id: company.id,
      action: 'edit',
    }),
    update: { actor_email: 'nobody@example.test' },
  },
  devices: {
    commands: full('devices'),
    row: (company) => ({ company_id: company.id, name: 'İstasyon 1', machine_id: 'machine' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', os: 'Ubuntu' }),
    update: { name: 'Renamed', notes: 'x' },
  },
  device_presence: {
    commands: readOnly('device_presence'),
    row: (company) => ({ company_id: company.id, device_id: idOf(company, 'devices') }),
    insert: (company) => ({ company_id: company.id, device_id: idOf(company, 'spare_devices') }),
    update: { online: true },
    key: (row) => ({ company_id: row.company_id, device_id: row.device_id }),
  },
  groups: {
    commands: full('groups'),
    row: (company) => ({ company_id: company.id, name: 'Group' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried' }),
    update: { description: 'x' },
  },
  group_devices: {
    commands: {
      select: { object: 'group_devices', verb: 'list' },
      insert: { object: 'groups', verb: 'edit' },
      delete: { object: 'groups', verb: 'edit' },
    },
    row: (company) => ({
      company_id: company.id,
      group_id: idOf(company, 'groups'),
      device_id: idOf(company, 'devices'),
    }),
    insert: (company) => ({
      company_id: company.id,
      group_id: idOf(company, 'groups'),
      device_id: idOf(company, 'spare_devices'),
    }),
    update: { added_at: '2020-01-01' },
    key: ({ company_id, group_id, device_id }) => ({ company_id, group_id, device_id }),
  },
  software: {
    commands: readOnly('software'),
    row: (company) => ({ company_id: company.id, name: 'Editor' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried' }),
    update: { publisher: 'x' },
  },
  device_software: {
    commands: readOnly('device_software'),
    row: (company) => ({
      company_id: company.id,
      device_id: idOf(company, 'devices'),
      software_id: idOf(company, 'software'),
    }),
    insert: (company) => ({
      company_id: company.id,
      device_id: idOf(company, 'spare_devices'),
      software_id: idOf(company, 'software'),
    }),
    update: { version: '2' },
  },
  enrollment_tokens: {
    commands: readOnly('enrollment_tokens'),
    row: (company) => ({ company_id: company.id, name: 'Token', hint: 'abcd' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', hint: 'abcd' }),
    update: { max_uses: 1000 },
  },
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
    }),
    insert: (company) => ({
      company_id: company.id,
      procedure_id: idOf(company, 'procedures'),
      number: 8,
      ...script,
    }),
    update: { script: 'rm -rf /' },
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
  automation_procedures: {
    commands: linkOf('automation_procedures', 'automations'),
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
    update: { added_at: '2020-01-01' },
    key: ({ company_id, automation_id, procedure_id }) => ({ company_id, automation_id, procedure_id }),
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
      group_id: idOf(company, 'groups'),
    }),
    insert: (company) => ({
      company_id: company.id,
      automation_id: idOf(company, 'automations'),
      group_id: idOf(company, 'spare_groups'),
    }),
    update: { added_at: '2020-01-01' },
    key: ({ company_id, automation_id, group_id }) => ({ company_id, automation_id, group_id }),
  },
  software_licenses: {
    commands: full('software_licenses'),
    row: (company) => ({ company_id: company.id, name: 'Editor', match_rule: 'editor' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', seats: 5 }),
    update: { seats: 10 },
  },
  software_license_titles: {
    commands: readOnly('software_license_titles'),
    // The licence above keeps its own titles; another one stands for the row.
    row: (company) => ({
      company_id: company.id,
      license_id: idOf(company, 'software_licenses'),
      software_id: idOf(company, 'spare_software'),
    }),
    insert: (company) => ({
      company_id: company.id,
      license_id: idOf(company, 'software_licenses'),
      software_id: idOf(company, 'spare_software'),
    }),
    update: { software_id: '00000000-0000-4000-8000-000000000000' },
    key: ({ company_id, license_id, software_id }) => ({ company_id, license_id, software_id }),
  },
  patches: {
    commands: { select: { object: 'patches', verb: 'list' }, update: { object: 'patches', verb: 'edit' } },
    row: (company) => ({ company_id: company.id, title: 'Update', kb_number: 'KB1' }),
    insert: (company) => ({ company_id: company.id, title: 'Tried' }),
    update: { notes: 'x' },
  },
  device_patches: {
    commands: readOnly('device_patches'),
    row: (company) => ({
      company_id: company.id,
      device_id: idOf(company, 'devices'),
      patch_id: idOf(company, 'patches'),
    }),
    insert: (company) => ({
      company_id: company.id,
      device_id: idOf(company, 'spare_devices'),
      patch_id: idOf(company, 'patches'),
    }),
    update: { status: 'installing' },
  },
  policies: {
    commands: full('policies'),
    row: (company) => ({ company_id: company.id, name: 'Policy', kind: 'patch' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', kind: 'agent' }),
    update: { position: 3 },
  },
  policy_groups: {
    commands: linkOf('policy_groups', 'policies'),
    row: (company) => ({
      company_id: company.id,
      policy_id: idOf(company, 'policies'),
      group_id: idOf(company, 'groups'),
    }),
    insert: (company) => ({
      company_id: company.id,
      policy_id: idOf(company, 'policies'),
      group_id: idOf(company, 'spare_groups'),
    }),
    update: { added_at: '2020-01-01' },
    key: ({ company_id, policy_id, group_id }) => ({ company_id, policy_id, group_id }),
  },
  ticket_categories: {
    commands: full('ticket_categories'),
    row: (company) => ({ company_id: company.id, name: 'Hardware' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried' }),
    update: { color: '#123456' },
  },
  ticket_issues: {
    commands: full('ticket_issues'),
    row: (company) => ({
      company_id: company.id,
      category_id: idOf(company, 'ticket_categories'),
      name: 'Broken',
    }),
    insert: (company) => ({
      company_id: company.id,
      category_id: idOf(company, 'ticket_categories'),
      name: 'Tried',
    }),
    update: { priority: 'urgent' },
  },
  tickets: {
    commands: full('tickets'),
    row: (company) => ({
      company_id: company.id,
      subject: 'Ekran açılmıyor',
      requester_id: company.memberId,
    }),
    insert: (company) => ({ company_id: company.id, subject: 'Tried' }),
    update: { subject: 'Renamed' },
    foreign: { object: 'ticket-desk', verb: 'list' },
  },
  apps: {
    commands: full('apps'),
    row: () => ({ name: 'Firefox', winget_id: 'Mozilla.Firefox' }),
    insert: () => ({ name: 'Tried' }),
    update: { publisher: 'x' },
    platformOnly: ['insert', 'update', 'delete'],
    isShared: true,
  },
  corporate_apps: {
    commands: full('corporate_apps'),
    row: (company) => ({ company_id: company.id, ...corporateApp }),
    insert: (company) => ({ company_id: company.id, ...corporateApp, name: 'Tried' }),
    update: { publisher: 'x' },
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
  notifications: {
    commands: { select: 'self', update: 'self' },
    row: (company) => ({ user_id: company.memberId, company_id: company.id, kind: 'welcome' }),
    insert: (company) => ({ user_id: company.memberId, kind: 'welcome' }),
    update: { read_at: '2026-01-01' },
  },
  saved_views: {
    commands: { select: 'self', insert: 'self', update: 'self', delete: 'self' },
    row: (company) => ({ owner: company.memberId, resource: 'devices', name: 'Mine' }),
    insert: (company) => ({ owner: company.memberId, resource: 'devices', name: 'Tried' }),
    update: { name: 'Renamed' },
  },
  list_preferences: {
    commands: { select: 'self', insert: 'self', update: 'self', delete: 'self' },
    row: (company) => ({ user_id: company.memberId, resource: 'devices' }),
    insert: (company) => ({ user_id: company.memberId, resource: 'groups' }),
    update: { density: 'compact' },
    key: ({ user_id, resource }) => ({ user_id, resource }),
  },
}

/** Rows that are made together with an account or a company, and only looked up. */
const MADE_WITH = ['companies', 'profiles', 'user_roles']

/** A company with one row in every table, a member who is nobody's actor, and an account that has no role yet. */
export async function furnishCompany(backend: TestBackend, licence?: Licence): Promise<Company> {
  const id = await createCompany(backend, licence)
  const member = await createAccount(backend, 'Standard', id)
  const newcomer = await createAccount(backend, null, null)
  const company: Company = {
    id,
    memberId: member.id,
    newcomerId: newcomer.id,
    empty: await createCompany(backend, licence),
    rows: {},
  }
  const add = async (table: string, values: Values) => {
    const [row] = await backend.sql(`${insertInto(table, values)} returning *`)
    return row ?? {}
  }
  company.rows.spare_devices = await add('devices', { company_id: id, name: 'Spare' })
  company.rows.spare_groups = await add('groups', { company_id: id, name: 'Spare' })
  company.rows.spare_monitors = await add('monitors', {
    company_id: id,
    name: 'Spare',
    type: 'Process',
    process_name: 'x',
  })
  company.rows.spare_procedures = await add('procedures', { company_id: id, name: 'Spare', ...script })
  company.rows.spare_software = await add('software', { company_id: id, name: 'Spare' })
  for (const [table, { row }] of Object.entries(TABLES))
    company.rows[table] = MADE_WITH.includes(table) ? row(company) : await add(table, row(company))
  return company
}

export const keyOf = (table: TableName, company: Company): Values => {
  const row = company.rows[table] ?? {}
  return TABLES[table].key?.(row) ?? { id: row.id }
}
