import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCompany } from '../../support/accounts'
import { drivers, type TestBackend, testBackend } from '../../support/backend'
import { type Person, signIn } from '../files/support'
import { fleetOf } from '../support/agent-functions-fleet'

const UNCLEAN: [name: string, sign: string, code: string][] = [
  ['a line break', '\r\n', 'U+000D'],
  ['a line feed', '\n', 'U+000A'],
  ['a carriage return', '\r', 'U+000D'],
  ['a tab', '\t', 'U+0009'],
  ['a turn of the direction', '\u202e', 'U+202E'],
  ['an isolate', '\u2066', 'U+2066'],
  ['a mark of direction', '\u200f', 'U+200F'],
  ['no width at all', '\u200b', 'U+200B'],
  ['a joiner between letters', '\u200d', 'U+200D'],
  ['a byte order mark', '\ufeff', 'U+FEFF'],
  ['a separator of lines', '\u2028', 'U+2028'],
  ['a control character', '\u0007', 'U+0007'],
  ['a next line', '\u0085', 'U+0085'],
  ['a soft hyphen', '\u00ad', 'U+00AD'],
  ['a tag', '\u{e0041}', 'U+E0041'],
]
const CLEAN = [
  'Çağrı Öğüşİı',
  'İstanbul – şube №2 “yeni”',
  'Family 👨‍👩‍👧 ❤️ 1️⃣ 🏳️‍🌈',
  'می\u200cخواهم',
  'क्\u200dष',
  '日本語 한국어 ไทย',
  'Ångström & Søn <b>',
  'no\u00a0break',
]

/** Texts in which nobody sees anything, though none of their characters is hidden. */
const BLANKS: [text: string, code: string][] = [
  ['\u00a0', 'U+00A0'],
  [' \u2003 ', 'U+2003'],
  ['\u3000\u3000', 'U+3000'],
  ['\u1680', 'U+1680'],
]

describe.each(drivers('collations', 'errors'))('a short text on %s', (driver) => {
  let backend: TestBackend
  let company: string
  let admin: Person
  let superAdmin: Person
  let standard: Person

  beforeAll(async () => {
    backend = await testBackend({ driver, demo: false })
    company = await createCompany(backend)
    admin = await signIn(backend, 'Admin', company)
    superAdmin = await signIn(backend, 'Super Admin', null)
    standard = await signIn(backend, 'Standard', company)
  })
  afterAll(() => backend?.stop())

  it('of a machine is clean whatever it holds, in one pass over the text', async () => {
    const left = await backend.sql(
      `with hidden as (
         select chr(n) as sign from (select generate_series(1, 55295) union all select generate_series(57344, 65535)
           union all select generate_series(917504, 921599)) as c (n) where app.hidden_character('a' || chr(n) || 'b') is not null)
       select to_hex(ascii(h.sign)) as sign from hidden h where app.unclean_character(app.clean_line('a' || h.sign || 'b')) is not null
       union all
       select 'all of them' from (select string_agg('x' || h.sign, '') as text from hidden h) h
         where app.unclean_character(app.clean_line(h.text)) is not null or replace(app.clean_line(h.text), ' ', '') !~ '^x+$'`,
    )
    expect(left).toEqual([])
  })

  it('is one that lists sort by, and every table with one holds the rule', async () => {
    const missing = await backend.sql(
      `select c.relname, s.name from pg_class c cross join lateral unnest(app.short_texts(c.oid)) as s (name)
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
         and (has_column_privilege('authenticated', c.oid, s.name, 'insert') or has_column_privilege('authenticated', c.oid, s.name, 'update'))
         and not exists (select 1 from pg_trigger t where t.tgrelid = c.oid and t.tgfoid = 'app.guard_short_texts()'::regprocedure)`,
    )
    expect(missing).toEqual([])
  })

  /** Requests that name something, each by the thing. */
  const WRITERS: [what: string, write: (name: string) => PromiseLike<{ error: unknown }>][] = [
    ['a group', (name) => admin.client.from('groups').insert({ company_id: company, name })],
    ['a tag', (name) => admin.client.from('tags').insert({ company_id: company, name })],
    ['a category', (name) => admin.client.from('ticket_categories').insert({ company_id: company, name })],
    [
      'a status',
      (name) => admin.client.from('ticket_statuses').insert({ company_id: company, name, kind: 'open' }),
    ],
    ['a ticket', (subject) => standard.client.from('tickets').insert({ company_id: company, subject })],
    [
      'an article',
      (title) => admin.client.from('articles').insert({ company_id: company, title, body: 'x' }),
    ],
    ['a device', (name) => admin.client.from('devices').insert({ company_id: company, name })],
    [
      'a monitor',
      (name) =>
        admin.client
          .from('monitors')
          .insert({ company_id: company, name, type: 'Process', process_name: 'cron' }),
    ],
    [
      'a view',
      (name) =>
        admin.client.from('saved_views').insert({ resource: 'tickets', name, state: {}, scope: 'mine' }),
    ],
    ['a company', (name) => superAdmin.client.from('companies').insert({ name })],
    ['oneself', (name) => standard.client.from('profiles').update({ name }).eq('id', standard.id)],
    ['a colleague', (name) => admin.client.from('users').update({ name }).eq('id', standard.id)],
    [
      'a new colleague',
      (name) =>
        admin.client.from('users').insert({
          name,
          email: `n${Math.random().toString(36).slice(2)}@example.test`,
          role: 'Standard',
          company_id: company,
        }),
    ],
    [
      'a version',
      (package_version) =>
        admin.client.from('corporate_apps').insert({
          company_id: company,
          name: 'App',
          platform: 'windows',
          package_version,
          source_url: 'https://example.test/app.msi',
          sha256: 'a'.repeat(64),
        }),
    ],
  ]

  it.each(WRITERS)(
    'that names %s is refused with a hidden character, and taken in every language',
    async (what, write) => {
      for (const [name, sign, character] of UNCLEAN) {
        const { error } = await write(`Ad${sign}min`)
        // Names of scripts and monitors have had a rule of their own, which answers first.
        const expected =
          what === 'a monitor' && !['\r\n', '\n', '\t'].includes(sign) ? 'hidden_characters' : 'unclean_line'
        expect([name, error]).toMatchObject([name, { code: '23514', hint: expected }])
        if (expected === 'unclean_line')
          expect([name, error]).toMatchObject([
            name,
            {
              details: `{"character": "${character}"}`,
            },
          ])
      }
      for (const [text, character] of BLANKS)
        expect([text, (await write(text)).error]).toMatchObject([
          text,
          { code: '23514', hint: 'unclean_line', details: `{"character": "${character}"}` },
        ])
      for (const text of CLEAN) {
        const { error } = await write(text)
        expect([text, error]).not.toMatchObject([text, { hint: 'unclean_line' }])
        if (what !== 'a version' && what !== 'a new colleague') expect([text, error]).toEqual([text, null])
      }
    },
  )

  it('is refused row by row in a change of many', async () => {
    const { data: made } = await admin.client
      .from('tags')
      .insert({ company_id: company, name: 'Many' })
      .select('id, version')
      .single()
      .throwOnError()
    const { data: bulk } = await admin.client
      .rpc('bulk_edit', { resource: 'tags', ids: [made.id], changes: { name: 'Ma\u202eny' } })
      .throwOnError()
    expect(bulk).toMatchObject([{ outcome: 'refused', reason: { hint: 'unclean_line' } }])
    const { data: saved } = await admin.client
      .rpc('save_rows', {
        resource: 'tags',
        rows: [{ id: made.id, version: made.version, changes: { name: 'Ma\nny' } }],
      })
      .throwOnError()
    expect(saved).toMatchObject([{ outcome: 'refused', reason: { hint: 'unclean_line' } }])
  })

  it('of a file is cleaned, and known by its clean form', async () => {
    const importOf = async (names: string[]) =>
      (
        await admin.client
          .rpc('import_rows', {
            resource: 'groups',
            rows: names.map((name, at) => ({ line: at + 2, values: { name } })),
            company,
            keys: ['name'],
            lookups: {},
            mode: 'upsert',
            dry_run: false,
          })
          .throwOnError()
      ).data
    expect(
      await importOf([
        'Sales\u202e\u200b',
        'Two\r\nlines',
        'Family 👨‍👩‍👧',
        'می\u200cخواهم',
        'Soft\u00adhyphen\u2028',
      ]),
    ).toMatchObject({ inserted: 4, errors: [] })
    expect(await importOf(['Sal\u2066es', 'Two lines'])).toMatchObject({ inserted: 0, same: 2, errors: [] })
    expect(
      await backend.sql(
        `select name from public.groups where company_id = $1 and name ~ '^(Sal|Two|Family 👨‍👩‍👧$|Soft)' order by name collate "C"`,
        [company],
      ),
    ).toEqual(['Family 👨‍👩‍👧', 'Sales', 'Softhyphen', 'Two lines'].map((name) => ({ name })))
    expect(await importOf(['\u202e', '\u00a0'])).toMatchObject({
      inserted: 0,
      errors: [{ line: 2 }, { line: 3 }],
    })
  })

  it('of a machine is cleaned, also where a person approves the machine', async () => {
    const fleet = fleetOf(backend, company)
    const device = await fleet.enroll()
    const software = [
      { name: 'Rem\u202eote\r\nHelper\u2028\u00ad', version: '1\u202e', publisher: 'P\u200b' },
    ]
    const many = String.fromCodePoint(...Array.from({ length: 140 }, (_, index) => 0xe0080 + index))
    const missing = Array.from({ length: 200 }, (_, index) => ({
      title: `Update ${index}\ufe0f${many}`,
      kb_number: '',
    }))
    const answer = await fleet.checkIn(device, {
      inventory: { hostname: 'PC\u202e-1\r\n', os: 'W\u2066', software, patches: { missing } },
    })
    expect(answer.status).toBe(200)
    const [stored] = await backend.sql<{ name: string }>(
      'select s.name from public.device_software d join public.software s on s.id = d.software_id where d.device_id = $1',
      [device.device_id],
    )
    expect(stored?.name).toBe('Remote Helper')
    // An update counts as missing by the title as it is kept.
    const updates = await backend.sql<{ title: string }>(
      `select p.title from public.device_patches d join public.patches p on p.id = d.patch_id
       where d.device_id = $1 and d.status = 'missing'`,
      [device.device_id],
    )
    expect(updates).toHaveLength(200)
    expect(updates).toContainEqual({ title: 'Update 7' })
    const [request] = await backend.sql<{ hostname: string }>(
      'select hostname from public.devices where id = $1',
      [device.device_id],
    )
    expect(request?.hostname).toBe('PC-1')
    const [made] = await backend.sql<{ name: string }>(
      `insert into public.devices (company_id, name) values ($1, E'srv\\u202e\\u202801\\n') returning name`,
      [company],
    )
    expect(made?.name).toBe('srv 01')
  })
})
