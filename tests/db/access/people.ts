import { type AreaAccess, full, readOnly } from './access'

/** The people of a company, and their doings. */
export const people = {
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
    row: ({ id }) => ({ user_email: `${id}@example.test`, failure_reason: 'Invalid login credentials' }),
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
    update: { actor_name: 'Nobody' },
  },
  security_log: {
    commands: readOnly('security_log'),
    row: (company) => ({ company_id: company.id, event: 'sign_in' }),
    insert: (company) => ({ company_id: company.id, event: 'sign_in' }),
    update: { event: 'sign_out' },
  },
} satisfies AreaAccess
