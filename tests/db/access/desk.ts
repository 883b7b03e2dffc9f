import { type AreaAccess, full, idOf, threadOn } from './access'

const HOURS = JSON.stringify([{ day: '1', from: '22:00', until: '06:00' }])
const TARGETS = JSON.stringify([{ priority: 'normal', first_response: 60, solution: 480 }])

/** Tickets and what they are sorted by. */
export const desk = {
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
  ticket_statuses: {
    commands: full('ticket_statuses'),
    // Every company has the five of its own; this one is a second status of its kind, so that it can be deleted.
    row: (company) => ({ company_id: company.id, name: 'Bei Lieferant', kind: 'waiting', color: '#123456' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', kind: 'open' }),
    update: { color: '#654321' },
  },
  business_calendars: {
    commands: full('business_calendars'),
    row: (company) => ({ company_id: company.id, name: 'Nights', hours: HOURS }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', hours: HOURS }),
    update: { timezone: 'Europe/Berlin' },
  },
  sla_policies: {
    commands: full('sla_policies'),
    row: (company) => ({ company_id: company.id, name: 'Standard', targets: TARGETS }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', targets: TARGETS }),
    update: { enabled: false },
  },
  canned_replies: {
    commands: full('canned_replies'),
    row: (company) => ({ company_id: company.id, name: 'Hello', shortcut: 'hello', body: 'Hello' }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', shortcut: 'tried', body: 'Tried' }),
    update: { body: 'Changed' },
  },
  assignment_rules: {
    commands: full('assignment_rules'),
    row: (company) => ({ company_id: company.id, name: 'All', enabled: false }),
    insert: (company) => ({ company_id: company.id, name: 'Tried', enabled: false }),
    update: { priority: 'urgent' },
  },
  desk_settings: {
    commands: {
      select: { object: 'desk_settings', verb: 'list' },
      update: { object: 'desk_settings', verb: 'edit' },
    },
    row: (company) => ({ company_id: company.id }),
    key: ({ company_id }) => ({ company_id }),
    update: { reopen_days: 3 },
  },
  mail_addresses: {
    commands: full('mail_addresses'),
    row: (company) => ({ company_id: company.id, address: `help@${company.id}.test` }),
    insert: (company) => ({ company_id: company.id, address: `tried-${Math.random()}@${company.id}.test` }),
    update: { category_id: null },
  },
  inbound_mails: {
    commands: { select: { object: 'inbound_mails', verb: 'list' } },
    row: (company) => ({
      company_id: company.id,
      message_key: company.id,
      source: 'webhook',
      size: 1,
      status: 'held',
      reason: 'unknown_sender',
      from_address: 'stranger@elsewhere.test',
      subject: 'Printer',
    }),
  },
  tickets: {
    hasTrash: true,
    commands: full('tickets'),
    row: (company) => ({
      company_id: company.id,
      subject: 'Ekran açılmıyor',
      requester_id: company.memberId,
    }),
    insert: (company) => ({ company_id: company.id, subject: 'Tried' }),
    update: { subject: 'Renamed' },
    // Whoever exports tickets lists them without a row rule, whatever the license says.
    foreign: { object: 'tickets', verb: 'export' },
  },
  ticket_tags: {
    commands: {
      select: { object: 'tags', verb: 'list' },
      insert: { object: 'tickets', verb: 'assign' },
      delete: { object: 'tickets', verb: 'assign' },
    },
    row: (company) => ({
      company_id: company.id,
      ticket_id: idOf(company, 'tickets'),
      tag_id: idOf(company, 'tags'),
    }),
    insert: (company) => ({
      company_id: company.id,
      ticket_id: idOf(company, 'spare_tickets'),
      tag_id: idOf(company, 'tags'),
    }),
    update: { tag_id: '00000000-0000-4000-8000-000000000000' },
    key: ({ company_id, ticket_id, tag_id }) => ({ company_id, ticket_id, tag_id }),
  },
  ticket_watchers: {
    commands: {
      select: { object: 'tickets', verb: 'list' },
      insert: { object: 'tickets', verb: 'assign' },
      delete: { object: 'tickets', verb: 'edit' },
    },
    row: (company) => ({
      company_id: company.id,
      ticket_id: idOf(company, 'tickets'),
      user_id: company.memberId,
    }),
    insert: (company) => ({
      company_id: company.id,
      ticket_id: idOf(company, 'spare_tickets'),
      user_id: company.memberId,
    }),
    update: { user_id: '00000000-0000-4000-8000-000000000000' },
    key: ({ company_id, ticket_id, user_id }) => ({ company_id, ticket_id, user_id }),
    foreign: { object: 'tickets', verb: 'export' },
  },
  ticket_links: {
    commands: {
      select: { object: 'ticket_links', verb: 'list' },
      insert: { object: 'ticket_links', verb: 'create' },
      delete: { object: 'ticket_links', verb: 'delete' },
    },
    row: (company) => ({
      company_id: company.id,
      ticket_id: idOf(company, 'tickets'),
      other_id: idOf(company, 'spare_tickets'),
    }),
    insert: (company) => ({
      company_id: company.id,
      ticket_id: idOf(company, 'tickets'),
      other_id: idOf(company, 'spare_tickets'),
      kind: 'blocks',
    }),
    update: { kind: 'blocks' },
  },
  time_entries: {
    commands: full('time_entries'),
    row: (company) => ({
      company_id: company.id,
      ticket_id: idOf(company, 'tickets'),
      user_id: company.memberId,
      started_at: '2026-01-02T08:00:00Z',
      ended_at: '2026-01-02T09:00:00Z',
    }),
    insert: (company) => ({
      company_id: company.id,
      ticket_id: idOf(company, 'tickets'),
      started_at: '2026-01-02T08:00:00Z',
      ended_at: '2026-01-02T09:00:00Z',
    }),
    update: { billable: false },
    // Time of others is for administrators, as the list of people is, whatever the license says.
    foreign: { object: 'users', verb: 'list' },
  },
  ticket_approvals: {
    commands: { select: { object: 'ticket_approvals', verb: 'list' } },
    row: (company) => ({
      company_id: company.id,
      ticket_id: idOf(company, 'tickets'),
      step: 1,
      role: 'Admin',
      status: 'asked',
    }),
    insert: (company) => ({ company_id: company.id, ticket_id: idOf(company, 'tickets'), step: 2 }),
    update: { status: 'approved' },
    foreign: { object: 'ticket_approvals', verb: 'export' },
  },
  ticket_approvers: {
    commands: { select: { object: 'tickets', verb: 'list' } },
    row: (company) => ({
      company_id: company.id,
      ticket_id: idOf(company, 'tickets'),
      user_id: company.memberId,
    }),
    insert: (company) => ({
      company_id: company.id,
      ticket_id: idOf(company, 'spare_tickets'),
      user_id: company.memberId,
    }),
    update: { user_id: '00000000-0000-4000-8000-000000000000' },
    key: ({ company_id, ticket_id, user_id }) => ({ company_id, ticket_id, user_id }),
    foreign: { object: 'tickets', verb: 'export' },
  },
  ticket_checklist_items: {
    commands: full('ticket_checklist_items'),
    row: (company) => ({ company_id: company.id, ticket_id: idOf(company, 'tickets'), text: 'Unplug it' }),
    insert: (company) => ({ company_id: company.id, ticket_id: idOf(company, 'tickets'), text: 'Tried' }),
    update: { text: 'Renamed' },
  },
  // Beside the ticket, a person links only what they started.
  ticket_jobs: {
    commands: {
      select: { object: 'tickets', verb: 'list' },
      insert: { object: 'tickets', verb: 'edit' },
      delete: { object: 'tickets', verb: 'edit' },
    },
    row: (company) => ({
      company_id: company.id,
      ticket_id: idOf(company, 'tickets'),
      job_id: idOf(company, 'jobs'),
    }),
    insert: (company) => ({
      company_id: company.id,
      ticket_id: idOf(company, 'spare_tickets'),
      job_id: idOf(company, 'jobs'),
    }),
    key: ({ company_id, ticket_id, job_id }) => ({ company_id, ticket_id, job_id }),
    update: { job_id: '00000000-0000-4000-8000-000000000000' },
    byAuthor: { insert: 'nobody' },
    foreign: { object: 'jobs', verb: 'list' },
  },
  // The row is a draft for the desk: a role whose line names the rule `published` does not reach it.
  articles: {
    hasTrash: true,
    commands: full('articles'),
    row: (company) => ({ company_id: company.id, title: 'Draft', body: 'Draft' }),
    insert: (company) => ({ company_id: company.id, title: 'Tried', body: 'Tried' }),
    update: { body: 'Changed' },
    foreign: { object: 'articles', verb: 'export' },
  },
  ticket_comments: {
    ...threadOn('tickets'),
    row: (company) => ({
      company_id: company.id,
      ticket_id: idOf(company, 'tickets'),
      author_id: company.memberId,
      body: 'Bakıyoruz',
    }),
    insert: (company) => ({ company_id: company.id, ticket_id: idOf(company, 'tickets'), body: 'Tried' }),
    update: { body: 'Forged' },
    foreign: { object: 'tickets', verb: 'export' },
  },
} satisfies AreaAccess
