import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { renderCreate } from '../../../scripts/resource/migration/create'
import { plain } from '../../../scripts/resource/migration/expressions'
import { conditionSql, filterSql } from '../../../scripts/resource/migration/filter-sql'
import { planTable } from '../../../scripts/resource/migration/plan'
import { rulesFromChecks, rulesOf } from '../../../scripts/resource/migration/rules'
import { named, wrap } from '../../../scripts/resource/migration/sql'
import { find, printers } from './printers'

const sql = renderCreate(planTable(printers, find), 'Printers of a company.')

describe('the migration of a definition', () => {
  it('reads in the order of every migration', () => {
    const order = [
      '-- Printers of a company.',
      'create table public.printers',
      'comment on table public.printers',
      'create index printers_company_serial_key_idx',
      "select app.keep_tenant('public.printers')",
      'create trigger printers_people',
      'create trigger printers_guard',
      'revoke all on public.printers',
      'alter table public.printers enable row level security',
      'create policy printers_select_member',
      'create policy printers_insert_member',
      'create policy printers_update_member',
      'create policy printers_delete_member',
      'create table public.printer_devices',
    ]
    const places = order.map((text) => sql.indexOf(text))
    expect(places).not.toContain(-1)
    expect(places).toEqual([...places].sort((a, b) => a - b))
  })

  it.each([
    "serial text not null check (length(btrim(serial)) between 1 and 80 and serial ~ '^[A-Z0-9-]+$')",
    "status text default 'active' check (status in ('active', 'retired'))",
    'pages integer check (pages between 0 and 1000)',
    'cost numeric(14, 2)',
    "tags text[] not null default '{}'",
    'owner_id uuid references public.profiles (id) on delete set null',
    'foreign key (company_id, device_id) references public.devices (company_id, id) on delete set null (device_id)',
    'constraint printers_warranty_check01 check (warranty >= bought_on)',
    "constraint printers_reason_check02 check (not (status = 'retired') or coalesce(length(btrim(reason)), 0) > 0)",
    'serial_key text generated always as (app.sort_key(serial)) stored',
    "search text generated always as (app.fold(serial || ' ' || coalesce(model, ''))) stored",
    'create index printers_company_pages_idx on public.printers (company_id, pages, id);',
    'create index printers_pages_idx on public.printers (pages, id);',
    'create index printers_company_device_id_idx on public.printers (company_id, device_id);',
    "select app.keep_audit('public.printers', 'id', array['serial_key']);",
    "select app.keep_search('public.printers');",
    "perform app.require('printers', 'approve');",
  ])('says %s', (line) => {
    expect(sql).toContain(line)
  })

  it('quotes the body of a guard by what does not occur in it', () => {
    const guard = { write: { object: 'printers', verb: 'approve' } }
    const model = { type: 'text', default: 'a $guard$ $$', guard } as const
    const definition: Definition = { ...printers, fields: { ...printers.fields, model } }
    const body = /as (\$guard2\$)(.*?)\1;/s.exec(renderCreate(planTable(definition, find), 'Printers.'))?.[2]
    expect(body).toContain("new.model is distinct from 'a $guard$ $$'")
    expect(body).toMatch(/end $/)
  })

  it('grants by column: neither the id nor what the database writes', () => {
    const grant = /grant select, delete[^;]+;/.exec(sql)?.[0] ?? ''
    expect(grant).toContain('insert (company_id, serial')
    expect(grant).not.toMatch(/\bid\b|seen_at|created_at|search/)
    expect(grant.split('update (')[1]).not.toContain('company_id')
  })

  it('lets only a Super Admin write what belongs to the platform', () => {
    const plan = planTable({ name: 'makers', tenant: false, fields: { name: { type: 'text' } } }, find)
    const text = renderCreate(plan, 'Makers.')
    expect(text).not.toMatch(/company_id|own_company|keep_announced/)
    expect(text.match(/app\.sees_all\(\)/g)?.length).toBe(4)
  })

  it('compares related records in triggers on both tables, within the company', () => {
    const rooms: Definition = { name: 'rooms', fields: { beds: { type: 'number' }, until: { type: 'date' } } }
    const makers: Definition = { name: 'makers', tenant: false, fields: { rate: { type: 'number' } } }
    const bookings: Definition = {
      name: 'bookings',
      fields: {
        room_id: { type: 'relation', to: 'rooms' },
        maker_id: { type: 'relation', to: 'makers' },
        guests: { type: 'number', check: { _gte: 1, _lte: '$record.room_id.beds' } },
        leaves_on: { type: 'date', check: { _lt: '$record.room_id.until' } },
        rate: { type: 'number', check: { _neq: '$record.maker_id.rate' } },
      },
    }
    const of = (name: string) => [rooms, makers].find((each) => each.name === name) ?? null
    const text = renderCreate(planTable(bookings, of), 'Bookings.')
    for (const line of [
      'constraint bookings_guests_check01 check (guests >= 1)',
      'create function app.check_bounds_of_bookings() returns trigger\n  language plpgsql security definer',
      'select x.beds, x.until into related from public.rooms x\n    where x.id = new.room_id and x.company_id = new.company_id for share;',
      'where x.id = new.maker_id for share;',
      'if (new.guests <= related.beds) is false then',
      'violates check constraint "bookings_leaves_on_check03"',
      '(new.guests, new.leaves_on, new.maker_id, new.rate, new.room_id) is not distinct from (old.guests,',
      // The trigger fires for every column: another trigger may set one that the statement does not name.
      'create trigger bookings_bounds after insert or update on public.bookings',
      'where new.id = r.room_id and new.company_id = r.company_id and (r.guests <= new.beds) is false;',
      'create trigger rooms_holds_bookings__room_id after update on public.rooms\n  for each row when ((old.beds, old.until) is distinct from (new.beds, new.until))',
      'create trigger makers_holds_bookings__maker_id after update on public.makers',
    ])
      expect(text).toContain(line)
  })

  it('says what no migration can', () => {
    const definition: Definition = {
      name: 'rentals',
      fields: {
        ends_on: { type: 'date', check: { _gte: '$now' } },
        total: { type: 'computed' },
        cost: { type: 'money', currency: 'TRY', search: true },
      },
    }
    const { notes, ownColumns } = planTable(definition, find)
    expect([...notes, ...ownColumns]).toHaveLength(3)
  })

  it('grants nothing to write without a form', () => {
    const plan = planTable(
      { name: 'logs', form: false, delete: false, fields: { text: { type: 'text' } } },
      find,
    )
    expect(renderCreate(plan, 'Logs.')).not.toMatch(/grant [^;]*(insert|update|delete)[^;]* to authenticated/)
  })
})

describe('rules', () => {
  it.each([
    [
      'CHECK (((length(btrim(name)) >= 1) AND (length(btrim(name)) <= 120)))',
      { minLength: 1, maxLength: 120 },
    ],
    ['CHECK ((length(name) <= 2000))', { maxLength: 2000 }],
    ['CHECK ((name >= 0))', { min: 0 }],
    ['CHECK (((name > 0) AND (name < 10)))', { min: 1, max: 9 }],
    ['CHECK (((name >= (0)::numeric) AND (name <= 99.5)))', { min: 0, max: 99.5 }],
    ["CHECK ((name = ANY (ARRAY['Event ID'::text, 'it''s'::text])))", { values: ['Event ID', "it's"] }],
    ["CHECK ((name = 'one'::text))", { values: ['one'] }],
    ["CHECK ((name ~ '^[a-z]+$'::text))", { pattern: '^[a-z]+$' }],
    ['CHECK ((length(other) <= 5))', {}],
    ["CHECK ((jsonb_typeof(name) = 'object'::text))", {}],
  ])('are read from %s', (check, rules) => {
    expect(rulesFromChecks('name', [check])).toEqual(rules)
  })

  it('are only those the definition states', () => {
    expect(rulesOf({ type: 'text', required: true, max_length: 5 })).toEqual({ minLength: 1, maxLength: 5 })
    expect(rulesOf({ type: 'email' })).toEqual({})
  })
})

describe('filters as SQL', () => {
  it('compare columns and literals', () => {
    expect(filterSql({ _or: [{ a: { _eq: "it's" } }, { b: { _in: [1, 2] } }], c: { _null: false } })).toBe(
      "(a = 'it''s' or b in (1, 2)) and c is not null",
    )
    expect(conditionSql('a', { _gte: 1, _lt: '$record.b' })).toBe('a >= 1 and a < b')
  })

  it('find a part of a text whatever its case, as the form does', () => {
    expect(conditionSql('a', { _contains: "it's" })).toBe(`strpos(lower(a), lower('it''s')) > 0`)
    expect(conditionSql('a', { _contains: '$record.b' })).toBe('strpos(lower(a), lower(b)) > 0')
    expect(conditionSql('a', { _contains: '$user.email' })).toBeNull()
  })

  it('give up where a constraint cannot ask', () => {
    expect(conditionSql('a', { _gte: '$now-30d' })).toBeNull()
    expect(conditionSql('a', { _has_any: ["it's"] })).toBe(`a && array['it''s']::text[]`)
    expect(conditionSql('a', { _has_all: ['b', 'c'], _empty: false })).toBe(
      `a @> array['b', 'c']::text[] and coalesce(cardinality(a), 0) > 0`,
    )
    expect(filterSql({ a: { _eq: '$user' } })).toBeNull()
  })

  it.each([
    [
      "not (status = 'retired') or reason is not null",
      "CHECK (((NOT (status = 'retired'::text)) OR (reason IS NOT NULL)))",
    ],
    ["a in ('x', 'y z')", "CHECK ((a = ANY (ARRAY['x'::text, 'y z'::text])))"],
    ['warranty >= bought_on', 'CHECK ((warranty >= bought_on))'],
    ['position >= 0', 'CHECK (("position" >= 0))'],
    ["strpos(lower(a), lower('X y')) > 0", "CHECK ((strpos(lower(a), lower('X y'::text)) > 0))"],
    [
      "app.fold(serial || ' ' || coalesce(model, ''))",
      "app.fold(((serial || ' '::text) || COALESCE(model, ''::text)))",
    ],
  ])('%s reads the same as Postgres prints it', (ours, printed) => {
    expect(plain(ours)).toBe(plain(printed))
  })
})

describe('names and lines', () => {
  it('stay within what Postgres keeps, and apart', () => {
    const [a, b] = ['a', 'b'].map((end) => named('t'.repeat(40), `${'c'.repeat(30)}${end}`, 'idx'))
    expect(a?.length).toBeLessThanOrEqual(63)
    expect(a).not.toBe(b)
    expect(wrap(['aaa', 'bbb', 'ccc'], '  ', 9)).toBe('aaa, bbb,\n  ccc')
  })
})
