import { describe, expect, it } from 'vitest'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { type Dropping, planChanges } from '../../../scripts/resource/migration/alter'
import { planTable } from '../../../scripts/resource/migration/plan'
import type { CatalogTable } from '../../../supabase/embedded/catalog'
import { column } from '../../support/catalog'
import { find } from './printers'

const check = (name: string, definition: string, ...columns: string[]) => ({ name, columns, definition })

/** The table of `{ serial: text!(80), status: enum(active, retired) }` as Postgres prints it. */
const table: CatalogTable = {
  name: 'printers',
  isView: false,
  isInvoker: false,
  idOf: null,
  canSelect: true,
  canDelete: true,
  comment: null,
  hasRowSecurity: true,
  columns: [
    column('id', 'uuid'),
    column('company_id', 'uuid'),
    column('serial', 'text', { isRequired: true }),
    column('status', 'text', { expression: "'active'::text" }),
    column('serial_key', 'text', { isGenerated: true, expression: 'app.sort_key(serial)' }),
    column('search', 'text', { isGenerated: true, expression: 'app.fold(serial)' }),
  ],
  checks: [
    check(
      'printers_serial_check',
      'CHECK (((length(btrim(serial)) >= 1) AND (length(btrim(serial)) <= 80)))',
      'serial',
    ),
    check(
      'printers_status_check',
      "CHECK ((status = ANY (ARRAY['active'::text, 'retired'::text])))",
      'status',
    ),
  ],
  keys: [],
  exclusions: [],
  indexes: [
    { name: 'a', columns: ['company_id', 'serial_key', 'id'], isPartial: false, isUnique: false },
    { name: 'b', columns: ['serial_key', 'id'], isPartial: false, isUnique: false },
  ],
  policies: [],
}

const serial: Field = { type: 'text', required: true, max_length: 80, search: true, sort: 'serial_key' }
const status: Field = { type: 'enum', values: { active: 'green', retired: 'gray' }, default: 'active' }

function changes(
  fields: Record<string, Field>,
  options: { drop?: Dropping; isGenerated?: boolean; table?: CatalogTable } = {},
) {
  const definition: Definition = { name: 'printers', fields }
  const plan = planTable(definition, find)
  return planChanges(
    {
      definition,
      plan,
      table: options.table ?? table,
      tables: [],
      sources: {},
      isGenerated: options.isGenerated ?? true,
    },
    { drop: options.drop ?? false },
  )
}

describe('what migrate writes', () => {
  it('is nothing where table and definition agree', () => {
    expect(changes({ serial, status })).toMatchObject({ statements: [], kept: [], probes: [], refusals: [] })
  })

  it('writes the default that a person is, on a column that no form fills', () => {
    const lent_by: Field = { type: 'user', readonly: true, default: '$user' }
    const existing = { ...table, columns: [...table.columns, column('lent_by', 'uuid')] }
    for (const isGenerated of [true, false])
      expect(changes({ serial, status, lent_by }, { table: existing, isGenerated }).statements).toContain(
        'alter table public.printers alter column lent_by set default app.current_user_id();',
      )
    const filled = column('lent_by', 'uuid', { expression: 'app.current_user_id()' })
    const { statements } = changes(
      { serial, status, lent_by },
      { table: { ...table, columns: [...table.columns, filled] } },
    )
    expect(statements.filter((line) => line.includes('default'))).toEqual([])
  })

  it('adds columns with their rules, indexes, references and grants', () => {
    const { statements } = changes({
      serial,
      status,
      pages: { type: 'number', min: 0, sort: true },
      device_id: { type: 'relation', to: 'devices' },
    })
    expect(statements).toEqual([
      'alter table public.printers add column pages integer check (pages >= 0);',
      'alter table public.printers add column device_id uuid;',
      'alter table public.printers add foreign key (company_id, device_id) references public.devices (company_id, id) on delete set null (device_id);',
      'create index printers_company_pages_idx on public.printers (company_id, pages, id);',
      'create index printers_pages_idx on public.printers (pages, id);',
      'create index printers_company_device_id_idx on public.printers (company_id, device_id);',
      'grant insert (pages, device_id), update (pages, device_id) on public.printers to authenticated;',
    ])
  })

  it('names the keys of several relations to one table, by which the console tells them apart', () => {
    const device: Field = { type: 'relation', to: 'devices' }
    const key = (name: string, ...columns: string[]) => ({
      ...{ name, columns, definition: '', target: 'devices', targetColumns: ['company_id', 'id'] },
    })
    const before: CatalogTable = {
      ...table,
      columns: [...table.columns, column('device_id', 'uuid')],
      keys: [key('printers_company_id_device_id_fkey', 'company_id', 'device_id')],
    }
    const { statements } = changes({ serial, status, device_id: device, spare_id: device }, { table: before })
    expect(
      statements.filter((text) => text.includes('foreign key') || text.includes('drop constraint')),
    ).toEqual([
      'alter table public.printers drop constraint printers_company_id_device_id_fkey;',
      'alter table public.printers add constraint printers_device_id_fkey foreign key (device_id, company_id) references public.devices (id, company_id) on delete set null (device_id);',
      'alter table public.printers add constraint printers_spare_id_fkey foreign key (spare_id, company_id) references public.devices (id, company_id) on delete set null (spare_id);',
    ])
    const after = {
      ...before,
      columns: [...before.columns, column('spare_id', 'uuid')],
      keys: ['device_id', 'spare_id'].map((name) => key(`printers_${name}_fkey`, name, 'company_id')),
    }
    const again = changes(
      { serial, status, device_id: device, spare_id: device },
      { table: after },
    ).statements
    expect(again.join()).not.toContain('foreign key')
  })

  it('writes a key again that does something else on a deletion than the definition says', () => {
    const device = (rule?: 'cascade' | 'restrict' | 'set_null'): Field => ({
      ...{ type: 'relation', to: 'devices' },
      ...(rule ? { on_delete: rule } : {}),
    })
    const before: CatalogTable = {
      ...table,
      columns: [...table.columns, column('device_id', 'uuid')],
      keys: [
        {
          ...{ name: 'k', columns: ['company_id', 'device_id'], target: 'devices' },
          targetColumns: ['company_id', 'id'],
          definition:
            'FOREIGN KEY (company_id, device_id) REFERENCES devices(company_id, id) ON DELETE SET NULL (device_id)',
        },
      ],
    }
    const keys = (rule?: 'cascade' | 'restrict' | 'set_null') =>
      changes({ serial, status, device_id: device(rule) }, { table: before }).statements.filter((text) =>
        text.includes('foreign key'),
      )
    expect(keys()).toEqual([])
    expect(keys('set_null')).toEqual([])
    expect(keys('cascade')).toEqual([
      'alter table public.printers add foreign key (company_id, device_id) references public.devices (company_id, id) on delete cascade;',
    ])
    expect(keys('restrict')).toEqual([
      'alter table public.printers add foreign key (company_id, device_id) references public.devices (company_id, id);',
    ])
  })

  it('changes rules, emptiness and type', () => {
    const { statements } = changes({
      serial: { ...serial, max_length: 40 },
      status: { type: 'enum', values: { active: 'green', lost: 'red' }, default: 'active', required: true },
    })
    expect(statements).toEqual([
      'alter table public.printers drop constraint printers_serial_check;',
      'alter table public.printers add constraint printers_serial_check check (length(btrim(serial)) between 1 and 40);',
      "update public.printers set status = 'active' where status is null;",
      'alter table public.printers alter column status set not null;',
      'alter table public.printers drop constraint printers_status_check;',
      "alter table public.printers add constraint printers_status_check check (status in ('active', 'lost'));",
    ])
    expect(changes({ serial, status: { type: 'number' } }).statements).toEqual([
      'alter table public.printers drop constraint printers_status_check;',
      'alter table public.printers alter column status drop default;',
      "alter table public.printers alter column status type integer using nullif(btrim(status), '')::integer;",
    ])
  })

  it('searches what the definition searches', () => {
    const { statements } = changes({ serial, status: { ...status, search: true } })
    expect(statements.slice(0, 2)).toEqual([
      'alter table public.printers drop column search;',
      "alter table public.printers add column search text generated always as (app.fold(serial || ' ' || coalesce(status, ''))) stored;",
    ])
  })

  it('takes nothing away unless asked, and names what it would', () => {
    const { max_length: _limit, ...unlimited } = serial as Extract<Field, { type: 'text' }>
    const fields: Record<string, Field> = { serial: { ...unlimited, required: false } }
    const loosened = changes(fields)
    expect(loosened.statements).toEqual([
      'alter table public.printers alter column serial drop not null;',
      'alter table public.printers drop constraint printers_serial_check;',
    ])
    expect(loosened.kept.map(({ what }) => what)).toEqual(['the column `status` of `printers`'])
    const kept = changes(fields, { isGenerated: false })
    expect(kept.statements).toEqual([])
    expect(kept.kept.map(({ what }) => what)).toEqual([
      'that `serial` is never empty',
      'the limits of `serial`',
      'the column `status` of `printers`',
    ])
    expect(changes({ serial }, { drop: true }).statements).toEqual([
      'alter table public.printers drop column status;',
    ])
  })

  it('drops single fields, each with the generated columns that read it', () => {
    const note: Field = { type: 'text' }
    const before = { ...table, columns: [...table.columns, column('note', 'text')] }
    const gone = (drop: Dropping) => changes({ pages: { type: 'number' } }, { drop, table: before })
    expect(gone(['status']).dropped.map(({ column }) => column)).toEqual(['status'])
    expect(gone(['status']).kept.map(({ column }) => column)).toEqual(['serial', 'note'])
    // Kept and required, it would refuse every new record.
    expect(gone(['status']).statements).toContain(
      'alter table public.printers alter column serial drop not null;',
    )
    expect(gone(['serial']).statements.join()).not.toContain('drop not null')
    expect(changes({ serial, note }, { drop: ['status'], table: before }).statements).toEqual([
      'alter table public.printers drop column status;',
    ])
    const { statements } = gone(true)
    expect(statements.filter((text) => text.includes('drop column'))).toEqual([
      'alter table public.printers drop column serial_key;',
      'drop function public.search_printers(text);\nalter table public.printers drop column search;',
      'alter table public.printers drop column serial;',
      'alter table public.printers drop column status;',
      'alter table public.printers drop column note;',
    ])
  })

  it('holds a new field of a table written by hand to what it is required for, in the same migration', () => {
    const reason: Field = { type: 'date', required: true, when: { status: { _eq: 'retired' } } }
    // The table has a check over `status` alone.
    expect(changes({ serial, status, reason }, { isGenerated: false }).statements.join('\n')).toContain(
      "check (not (status = 'retired') or reason is not null)",
    )
  })

  it('leaves the triggers of a table written by hand alone, and the checks that it has', () => {
    const fields: Record<string, Field> = {
      serial: { ...serial, guard: { write: { object: 'printers', verb: 'approve' } } },
      status: { ...status, check: { _neq: '$record.serial' } },
    }
    const added =
      'alter table public.printers add constraint printers_status_check01 check (status <> serial);'
    expect(changes(fields, { isGenerated: false }).statements).toEqual([added])
    const own = check(
      'printers_check',
      'CHECK (((status)::text IS DISTINCT FROM serial))',
      'status',
      'serial',
    )
    expect(
      changes(fields, { isGenerated: false, table: { ...table, checks: [...table.checks, own] } }).statements,
    ).toEqual([])
    expect(changes(fields).statements.join('\n')).toMatch(
      /check \(status <> serial\)[\s\S]*app\.guard_printers/,
    )
  })
})
