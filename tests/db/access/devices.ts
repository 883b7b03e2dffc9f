import { type AreaAccess, full, idOf, readOnly, threadOn } from './access'

/** Devices, their inventory, and their enrollment. */
export const devices = {
  devices: {
    commands: full('devices'),
    row: (company) => ({ company_id: company.id, name: 'İstasyon 1', machine_id: 'machine' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', os: 'Ubuntu' }),
    update: { name: 'Renamed', notes: 'x' },
  },
  // Attached to the device by nobody, so that the rights on the device alone decide; a draft is attached once.
  files: {
    commands: {
      select: { object: 'devices', verb: 'list' },
      insert: { object: 'devices', verb: 'edit' },
      update: 'self',
    },
    perRecord: { delete: { object: 'devices', verb: 'edit' } },
    row: (company) => ({
      company_id: company.id,
      resource: 'devices',
      record_id: idOf(company, 'devices'),
      name: 'invoice.pdf',
      size: 10,
      uploaded_at: '2026-01-01',
    }),
    insert: (company) => ({
      company_id: company.id,
      resource: 'devices',
      record_id: idOf(company, 'devices'),
      name: 'tried.pdf',
      size: 10,
    }),
    update: { record_id: '00000000-0000-4000-8000-000000000000' },
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
  tags: {
    commands: full('tags'),
    row: (company) => ({ company_id: company.id, name: 'Tag' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried' }),
    update: { name: 'Renamed' },
  },
  device_tags: {
    commands: {
      select: { object: 'devices', verb: 'list' },
      insert: { object: 'devices', verb: 'edit' },
      delete: { object: 'devices', verb: 'edit' },
    },
    row: (company) => ({
      company_id: company.id,
      device_id: idOf(company, 'devices'),
      tag_id: idOf(company, 'tags'),
    }),
    insert: (company) => ({
      company_id: company.id,
      device_id: idOf(company, 'spare_devices'),
      tag_id: idOf(company, 'tags'),
    }),
    update: { device_id: '00000000-0000-4000-8000-000000000000' },
    key: ({ company_id, device_id, tag_id }) => ({ company_id, device_id, tag_id }),
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
  remote_links: {
    commands: full('remote_links'),
    row: (company) => ({ company_id: company.id, name: 'RustDesk', template: 'rustdesk://{hostname}' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', template: 'rdp://{ip}' }),
    update: { template: 'vnc://{ip}' },
  },
  software_changes: {
    commands: readOnly('software_changes'),
    row: (company) => ({
      company_id: company.id,
      device_id: idOf(company, 'devices'),
      software_id: idOf(company, 'software'),
      change: 'installed',
    }),
    insert: (company) => ({
      company_id: company.id,
      device_id: idOf(company, 'spare_devices'),
      software_id: idOf(company, 'software'),
      change: 'installed',
    }),
    update: { change: 'removed' },
  },
  enrollment_tokens: {
    commands: readOnly('enrollment_tokens'),
    row: (company) => ({ company_id: company.id, name: 'Token', hint: 'abcd' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', hint: 'abcd' }),
    update: { max_uses: 1000 },
  },
  enrollment_requests: {
    commands: readOnly('enrollment_requests'),
    row: (company) => ({
      company_id: company.id,
      machine_id: 'machine-waiting',
      hostname: 'PC-9',
      platform: 'linux',
    }),
    insert: (company) => ({
      company_id: company.id,
      machine_id: 'machine-tried',
      hostname: 'PC-8',
      platform: 'linux',
    }),
    update: { status: 'expired' },
  },
  device_comments: {
    ...threadOn('devices'),
    row: (company) => ({
      company_id: company.id,
      device_id: idOf(company, 'devices'),
      author_id: company.memberId,
      body: 'Fan replaced',
    }),
    insert: (company) => ({ company_id: company.id, device_id: idOf(company, 'devices'), body: 'Tried' }),
    update: { body: 'Forged' },
  },
} satisfies AreaAccess
