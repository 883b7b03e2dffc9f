import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LANGUAGES, type Language } from '@/i18n/language'
import { checkResources } from '../../../scripts/resource/check'
import { newResource } from '../../../scripts/resource/new'
import { removeResource } from '../../../scripts/resource/remove'
import { renameResource } from '../../../scripts/resource/rename'
import { restoreResource } from '../../../scripts/resource/restore'
import { openScratch, type Scratch } from '../../../scripts/resource/scratch'
import { differences } from '../../../scripts/schema/command'
import { schemaFiles } from '../../../scripts/schema/files'
import type { Query } from '../../../supabase/embedded/database/database'
import { isDatabaseError } from '../../../supabase/embedded/database/errors.mjs'
import { snapshotFile } from '../../../supabase/embedded/snapshot'
import { madeOnce } from '../../support/made-once'
import { resourceWords } from '../../support/resource-words'
import { schemaDifference, schemaLines } from '../../support/schema-lines'
import { withoutAdded } from '../../support/without-added'

const ROOT = resolve(import.meta.dirname, '../../..')
const COPIED = [
  'casbin-model.conf',
  'locales',
  'policies',
  'resources',
  'supabase/config.toml',
  'supabase/migrations',
  'supabase/schemas',
  'src',
]
/** A snapshot of the database depends on this folder, besides migrations. */
const EMBEDDED = 'supabase/embedded'
const MIGRATIONS = 'supabase/migrations'
const FIELDS = [
  'plate:text!',
  'status:enum(active,retired)=active',
  'driver:user',
  'bought_on:date',
  'groups:groups[]',
  'on_loan:boolean',
]

describe('commands that change resources', () => {
  let root: string
  let before: Scratch
  /** The result of `new` for trucks. */
  let expected: { schema: string[]; files: ReturnType<typeof filesOf> }
  const known = new Set<string>()
  const told: string[] = []
  const say = (line: string) => void told.push(line)
  const read = (path: string) => readFileSync(join(root, path), 'utf8')

  /** Applies the migrations written since to a database that has rows. */
  async function migrate(scratch: Scratch): Promise<void> {
    for (const file of readdirSync(join(root, MIGRATIONS)).sort()) {
      if (known.has(file)) continue
      known.add(file)
      await scratch.run(read(`${MIGRATIONS}/${file}`))
    }
  }
  const create = (tree: string, name: string, fields: string[], label: string) =>
    newResource(
      tree,
      { name, fields, label: `${label}/${label}s`, labelTr: 'Araç/Araçlar', trash: true, keep: true },
      say,
    )
  async function copy(paths = COPIED): Promise<string> {
    const tree = mkdtempSync(join(tmpdir(), 'konsol-rename-'))
    for (const path of paths) cpSync(join(ROOT, path), join(tree, path), { recursive: true })
    symlinkSync(join(ROOT, EMBEDDED), join(tree, EMBEDDED), 'junction')
    // Else each tree applies every migration.
    const snapshot = snapshotFile(ROOT, false)
    await madeOnce(snapshot, async () => (await openScratch(ROOT)).stop())
    cpSync(snapshot, snapshotFile(tree, false))
    await withoutAdded(tree, (name) => removeResource(tree, { name, drop: true, yes: true, keep: true }, say))
    return tree
  }

  const wordsIn = (tree: string, language: Language) => resourceWords(language, tree)
  /** The lines about trucks in the files of a tree. */
  const filesOf = (tree: string) => ({
    definition: readFileSync(join(tree, 'resources/trucks.json'), 'utf8'),
    words: LANGUAGES.map((language) => Object.keys(wordsIn(tree, language).trucks ?? {})),
    lines: ['admin', 'teknik'].map((role) =>
      readFileSync(join(tree, `policies/${role}.csv`), 'utf8').match(/^.*, trucks, .*$/gm),
    ),
  })
  const trucksIn = async (query: Query) =>
    (await schemaLines(query)).filter((line) => /truck|vehicle|sign|plate/.test(line))
  /** Asks the database as it were after these statements, which are taken back: cheaper than another database. */
  const askAfter =
    (sql: string): Query =>
    async <R>(question: string) => {
      const ask = `do $ask$ begin raise exception using message = 'asked', detail =
        (select coalesce(json_agg(q), '[]')::text from (${question}) q); end $ask$;`
      const asked = await before.run(`${sql}\n${ask}`).catch((error: unknown) => error)
      if (!isDatabaseError(asked) || asked.message !== 'asked') throw asked
      return JSON.parse(asked.detail ?? '') as R[]
    }
  /** In a tree of its own, so that nothing here has met the name before. */
  async function expectTrucks(): Promise<void> {
    const tree = await copy(COPIED.filter((path) => path !== 'src'))
    const migrations = () => readdirSync(join(tree, MIGRATIONS))
    const old = new Set(migrations())
    await create(tree, 'trucks', ['sign:text!', ...FIELDS.slice(1)], 'Truck')
    const added = migrations().filter((file) => !old.has(file))
    const sql = added.sort().map((file) => readFileSync(join(tree, MIGRATIONS, file), 'utf8'))
    expected = { schema: await trucksIn(askAfter(sql.join('\n'))), files: filesOf(tree) }
    rmSync(tree, { recursive: true, force: true })
    const named = (lines: string[]) => lines.filter((line) => line.includes('truck')).length
    expect(named(expected.schema)).toBeGreaterThan(50)
    expect(named(await trucksIn(before.query))).toBe(0)
  }

  beforeAll(async () => {
    root = await copy()
    process.env.DATA_DIR = join(root, 'data')
    for (const file of readdirSync(join(root, MIGRATIONS))) known.add(file)
    before = await openScratch(root)
    await expectTrucks()
    await create(root, 'vehicles', FIELDS, 'Vehicle')
    await newResource(
      root,
      { name: 'holidays', fields: ['name:text!', 'day:date!'], platform: true, keep: true },
      say,
    )
    await migrate(before)
    expect(await differences(root)).toEqual([])
  })
  afterAll(async () => {
    await before?.stop()
    rmSync(root, { recursive: true, force: true })
  })

  const problems = async () => checkResources(root, await before.read()).filter(({ isWarning }) => !isWarning)
  it('leave nothing for the linter after two were added, one of which companies only read', async () => {
    expect(await problems()).toEqual([])
    expect(read('policies/admin.csv').match(/^.*, holidays, .*$/gm)).toEqual(
      ['list', 'show', 'export'].map((verb) => `p, Admin, holidays, ${verb}, allow`),
    )
  })

  it('rename a field and a resource with everything that names them, and rows stay', async () => {
    const sql = before.query
    const [company] = await sql<{ id: string }>(
      `insert into public.companies (name) values ('Filo') returning id`,
    )
    const [person] = await sql<{ id: string }>(
      `insert into auth.users (id, email) values (gen_random_uuid(), 'filo@example.test') returning id`,
    )
    const [vehicle] = await sql<{ id: string }>(
      `insert into public.vehicles (company_id, plate, bought_on) values ($1, '34 AB 1', '2026-01-10') returning id`,
      [company?.id],
    )
    const where = encodeURIComponent(
      JSON.stringify({ _or: [{ plate: { _contains: 'plate' } }, { status: { _eq: 'x' } }] }),
    )
    const query = `columns=plate%3A200%2Cstatus&plate=plate&q=plate&sort=status%2C-plate&where=${where}`
    await sql(
      `insert into public.saved_views (owner, resource, name, state) values ($1, 'vehicles', 'Mine', $2)`,
      [person?.id, JSON.stringify({ query })],
    )
    await sql(
      `insert into public.list_preferences (user_id, resource, columns) values ($1, 'vehicles', $2)`,
      [person?.id, JSON.stringify([{ field: 'status' }, { field: 'plate', width: 90 }])],
    )
    await sql(
      `insert into app.bulk_change (job_id, actor_id, resource, row_id, before, links)
       values (gen_random_uuid(), $1, 'vehicles', $2, '{"plate": "06 X"}', '[{"through": "vehicle_groups", "near": "vehicle_id"}]')`,
      [person?.id, vehicle?.id],
    )
    await sql(`insert into public.notifications (user_id, kind, link) values ($1, 'test', '/vehicles/1')`, [
      person?.id,
    ])

    await renameResource(root, { name: 'vehicles.plate', to: 'sign', labels: {}, keep: true }, say)
    await renameResource(
      root,
      {
        name: 'vehicles',
        to: 'trucks',
        labels: { en: ['Truck', 'Trucks'], tr: ['Araç', 'Araçlar'] },
        keep: true,
      },
      say,
    )
    await migrate(before)
    expect(await sql(`select sign, sign_key, version from public.trucks`)).toEqual([
      { sign: '34 AB 1', sign_key: expect.any(String), version: 1 },
    ])
    const renamed = query
      .replace('columns=plate', 'columns=sign')
      .replace('&plate=', '&sign=')
      .replace('-plate', '-sign')
      .replace('%22plate%22%3A', '%22sign%22%3A')
    expect(await sql(`select resource, state from public.saved_views`)).toEqual([
      { resource: 'trucks', state: { query: renamed } },
    ])
    expect(await sql(`select resource, columns from public.list_preferences`)).toEqual([
      { resource: 'trucks', columns: [{ field: 'status' }, { field: 'sign', width: 90 }] },
    ])
    expect(await sql(`select resource, before, links from app.bulk_change`)).toEqual([
      {
        resource: 'trucks',
        before: { sign: '06 X' },
        links: [{ through: 'truck_groups', near: 'truck_id' }],
      },
    ])
    expect(await sql(`select link from public.notifications where kind = 'test'`)).toEqual([
      { link: '/trucks/1' },
    ])
    expect(
      await sql(`select table_name, changes -> 'sign' as sign from public.audit_log where row_id = $1`, [
        vehicle?.id,
      ]),
    ).toEqual([{ table_name: 'trucks', sign: [null, '34 AB 1'] }])
    expect((await sql(`select v1 from app.policy_rule where v1 = 'vehicles'`)).length).toBe(0)
  })

  it('leave what `new` would have made under the new name', async () => {
    expect(await differences(root)).toEqual([])
    expect(readdirSync(join(root, 'supabase/schemas/90_resources'))).toEqual([
      '000_about.sql',
      '001_trucks.sql',
      '002_holidays.sql',
    ])
    expect(schemaDifference(await trucksIn(before.query), expected.schema)).toEqual([])
    expect(filesOf(root)).toEqual(expected.files)
    expect(existsSync(join(root, 'resources/vehicles.json'))).toBe(false)
    for (const language of LANGUAGES) {
      expect(wordsIn(root, language)).not.toHaveProperty('vehicles')
      expect(existsSync(join(root, `locales/${language}/resources/trucks.json`))).toBe(true)
    }
    expect(await problems()).toEqual([])
  })

  it('remove a resource from the API, keep its rows, and give it back', async () => {
    const readable = () =>
      before.query(`select has_table_privilege('authenticated', 'public.trucks', 'select') as open,
        (select count(*)::integer from pg_policies where tablename = 'trucks') as policies`)
    const schema = await schemaLines(before.query)
    const ofTexts = LANGUAGES.map((language) => `locales/${language}/resources/trucks.json`)
    const files = ['resources/trucks.json', ...ofTexts].map(read)
    await removeResource(root, { name: 'trucks', keep: true }, say)
    expect(ofTexts.map((file) => existsSync(join(root, file)))).toEqual([false, false])
    await migrate(before)
    expect(await readable()).toEqual([{ open: false, policies: 0 }])
    expect(await differences(root)).toEqual([])
    expect((await before.query('select 1 from public.trucks')).length).toBe(1)
    expect(await problems()).toEqual([])
    await restoreResource(root, { name: 'trucks', keep: true }, say)
    await migrate(before)
    expect(schemaDifference(schema, await schemaLines(before.query))).toEqual([])
    expect(await differences(root)).toEqual([])
    const restored = ['resources/trucks.json', ...ofTexts].map(read)
    expect(restored.map((text) => JSON.parse(text) as unknown)).toEqual(
      files.map((text) => JSON.parse(text) as unknown),
    )
  })

  it('refuse what others point at, and what code names', async () => {
    const refused = async (command: Promise<void>) =>
      await command.then(
        () => '',
        (error: Error) => error.message,
      )
    expect(await refused(removeResource(root, { name: 'groups' }, say))).toMatch(
      /Other definitions name `groups`:.*resources\/devices\.json:\d+ {2}fields\.groups\.to.*and \d+ more.*Nothing was removed/s,
    )
    expect(
      await refused(renameResource(root, { name: 'devices.hostname', to: 'host', labels: {} }, say)),
    ).toMatch(/Code names `devices\.hostname`.*src\/.*Nothing was renamed/s)
    expect(await refused(renameResource(root, { name: 'trucks.sing', to: 'mark', labels: {} }, say))).toMatch(
      /Did you mean `sign`/,
    )
    expect(
      await refused(renameResource(root, { name: 'trucks.sign', to: 'status', labels: {} }, say)),
    ).toMatch(/`status` already/)
    expect(await refused(removeResource(root, { name: 'holidays', drop: true }, say))).toMatch(/Add --yes/)
  })

  it('write nothing while a file of texts cannot be read, and say where it is wrong', async () => {
    const file = 'locales/tr/resources/tags.json'
    const right = read(file)
    const folders = ['locales', 'policies', 'resources', MIGRATIONS]
    const state = () =>
      folders.flatMap((folder) =>
        readdirSync(join(root, folder), { recursive: true, encoding: 'utf8', withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => [
            join(parentPath, name),
            readFileSync(join(parentPath, name), 'utf8'),
          ]),
      )
    writeFileSync(join(root, file), right.replace(',', ',,'))
    const broken = state()
    const commands = [
      () => create(root, 'boats', FIELDS, 'Boat'),
      () => renameResource(root, { name: 'trucks', to: 'lorries', labels: {}, keep: true }, say),
      () => removeResource(root, { name: 'trucks', keep: true }, say),
    ]
    for (const command of commands) await expect(command()).rejects.toThrow(`${file}:2  not JSON: `)
    expect(state()).toEqual(broken)
    writeFileSync(join(root, file), right)
  })

  it('take a resource out of the schemas with its rows', async () => {
    await removeResource(root, { name: 'trucks', drop: true, yes: true, keep: true }, say)
    await removeResource(root, { name: 'holidays', drop: true, yes: true, keep: true }, say)
    expect(await differences(root)).toEqual([])
    expect(readdirSync(join(root, 'supabase/schemas/90_resources'))).toEqual(['000_about.sql'])
    const schemas = (tree: string) => schemaFiles(tree).filter(({ path }) => !path.endsWith('/lines.sql'))
    expect(schemas(root)).toEqual(schemas(ROOT))
  })
})
