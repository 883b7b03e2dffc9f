import { type AreaAccess, full, idOf } from './access'

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
} satisfies AreaAccess
