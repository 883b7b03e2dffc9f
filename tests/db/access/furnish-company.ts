import { createAccount, createCompany, type License } from '../../support/accounts'
import type { TestBackend } from '../../support/backend'
import { insertInto, type Values } from '../support/as-user'
import { type Company, script } from './access'
import { TABLES } from './tables'

/** Rows that are made together with an account or a company, and only looked up. */
const MADE_WITH = ['companies', 'profiles', 'user_roles', 'desk_settings']

/** A company with one row in every table, a member who is nobody's actor, and an account that has no role yet. */
export async function furnishCompany(backend: TestBackend, license?: License): Promise<Company> {
  const id = await createCompany(backend, license)
  const member = await createAccount(backend, 'Standard', id)
  const newcomer = await createAccount(backend, null, null)
  const company: Company = {
    id,
    memberId: member.id,
    newcomerId: newcomer.id,
    empty: await createCompany(backend, license),
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
  company.rows.spare_tickets = await add('tickets', {
    company_id: id,
    subject: 'Spare',
    requester_id: member.id,
  })
  company.rows.package_files = await add('files', {
    company_id: id,
    resource: 'corporate_app_files',
    field: 'file_id',
    name: 'erp.msi',
    size: 1,
    uploaded_at: '2026-01-01',
  })
  for (const [table, { row }] of Object.entries(TABLES))
    company.rows[table] = MADE_WITH.includes(table) ? row(company) : await add(table, row(company))
  return company
}
