import { describe, expect, it } from 'vitest'
import type { Definition, Field } from '@/resource/definition/definition.generated'
import { planChanges } from '../../../scripts/resource/migration/alter'
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
  canSelect: true,
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
  indexes: [
    { name: 'a', columns: ['company_id', 'serial_key', 'id'], isPartial: false, isUnique: false },
    { name: 'b', columns: ['serial_key', 'id'], isPartial: false, isUnique: false },
  ],
  policies: [],
}

const serial: Field = { type: 'text', required: true, max_length: 80, search: true, sort: 'serial_key' }
const status: Field = { type: 'enum', values: { active: 'green', retired: 'gray' }, default: 'active' }

function changes(fields: Record<string, Field>, options: { drop?: boolean; isGenerated?: boolean } = {}) {
  const definition: Definition = { name: 'printers', fields }
  const plan = planTable(definition, find)
  return planChanges(
    { definition, plan, table, tables: [], sources: {}, isGenerated: options.isGenerated ?? true },
    { drop: options.drop ?? false },
  )
}

describe('what migrate writes', () => {
  it('is nothing where table and definition agree', () => {
    expect(changes({ serial, status })).toEqual({ statements: [], drops: [] })
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
    expect(changes({ serial, status: { type: 'number' } }).statements[0]).toBe(
      'alter table public.printers alter column status type integer using status::integer;',
    )
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
    const kept = changes({ serial: { ...unlimited, required: false } })
    expect(kept.statements).toEqual([])
    expect(kept.drops.map(({ what }) => what)).toEqual([
      'that `serial` is never empty',
      'the limits of `serial`',
      'the column `status` of `printers`',
    ])
    expect(changes({ serial }, { drop: true }).statements).toEqual([
      'alter table public.printers drop column status;',
    ])
  })

  it('leaves the triggers and cross-field checks of a table written by hand alone', () => {
    const fields: Record<string, Field> = {
      serial: { ...serial, guard: { write: { object: 'printers', verb: 'approve' } } },
      status: { ...status, check: { _neq: '$record.serial' } },
    }
    expect(changes(fields, { isGenerated: false }).statements).toEqual([])
    expect(changes(fields).statements.join('\n')).toMatch(
      /check \(status <> serial\)[\s\S]*app\.guard_printers/,
    )
  })
})
