import { type AreaAccess, idOf } from './access'

/** A person's own rows. */
export const own = {
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
  procedure_favorites: {
    commands: { select: 'self' },
    row: (company) => ({
      user_id: company.memberId,
      company_id: company.id,
      procedure_id: idOf(company, 'procedures'),
    }),
    insert: (company) => ({ company_id: company.id, procedure_id: idOf(company, 'procedures') }),
    update: { created_at: '2026-01-01' },
    key: ({ user_id, procedure_id }) => ({ user_id, procedure_id }),
  },
  article_votes: {
    commands: { select: 'self' },
    row: (company) => ({
      company_id: company.id,
      article_id: idOf(company, 'articles'),
      user_id: company.memberId,
      is_helpful: true,
    }),
    insert: (company) => ({
      company_id: company.id,
      article_id: idOf(company, 'articles'),
      user_id: company.newcomerId,
      is_helpful: true,
    }),
    update: { is_helpful: false },
    key: ({ user_id, article_id }) => ({ user_id, article_id }),
  },
  list_preferences: {
    commands: { select: 'self', insert: 'self', update: 'self', delete: 'self' },
    row: (company) => ({ user_id: company.memberId, resource: 'devices' }),
    insert: (company) => ({ user_id: company.memberId, resource: 'groups' }),
    update: { density: 'compact' },
    key: ({ user_id, resource }) => ({ user_id, resource }),
  },
} satisfies AreaAccess
