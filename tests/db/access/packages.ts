import { type AreaAccess, type Company, full, idOf, linkOf, readOnly } from './access'

const corporateApp = {
  name: 'ERP',
  package_version: '1.0',
  source_url: 'https://packages.example.test/erp.msi',
  sha256: '0'.repeat(64),
}

const file = (company: Company, version: string) => ({
  id: idOf(company, 'package_files'),
  file_id: idOf(company, 'package_files'),
  company_id: company.id,
  corporate_app_id: idOf(company, 'corporate_apps'),
  package_version: version,
  file_name: 'erp.msi',
  size_bytes: 1,
  sha256: '0'.repeat(64),
})

/** Licenses, patches, the rules about them, and apps. */
export const packages = {
  software_licenses: {
    commands: full('software_licenses'),
    row: (company) => ({ company_id: company.id, name: 'Editor', match_rule: 'editor' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', seats: 5 }),
    update: { seats: 10 },
  },
  software_licenses_hidden_cost: {
    commands: readOnly('license-costs'),
    row: (company) => ({ company_id: company.id, id: idOf(company, 'software_licenses'), cost: 10 }),
    insert: (company) => ({ company_id: company.id, id: idOf(company, 'software_licenses'), cost: 20 }),
    update: { cost: 30 },
  },
  software_license_titles: {
    commands: readOnly('software_license_titles'),
    // The license above keeps its own titles; another one stands for the row.
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
  patch_exceptions: {
    commands: full('patch_exceptions'),
    row: (company) => ({
      company_id: company.id,
      patch_id: idOf(company, 'patches'),
      scope: 'device',
      device_id: idOf(company, 'devices'),
    }),
    insert: (company) => ({
      company_id: company.id,
      patch_id: idOf(company, 'patches'),
      scope: 'device',
      device_id: idOf(company, 'spare_devices'),
    }),
    update: { notes: 'x' },
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
      group_id: idOf(company, 'spare_groups'),
    }),
    insert: (company) => ({
      company_id: company.id,
      policy_id: idOf(company, 'policies'),
      group_id: idOf(company, 'groups'),
    }),
    update: { added_at: '2020-01-01' },
    key: ({ company_id, policy_id, group_id }) => ({ company_id, policy_id, group_id }),
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
  corporate_app_files: {
    commands: {
      select: { object: 'corporate_app_files', verb: 'list' },
      delete: { object: 'corporate_apps', verb: 'delete' },
    },
    row: (company) => file(company, '1.0'),
    insert: (company) => file(company, '2.0'),
    update: { sha256: 'f'.repeat(64) },
  },
} satisfies AreaAccess
