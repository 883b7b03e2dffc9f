import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { nextFillName } from '../../../scripts/policies/migration'
import { checkTree } from '../../../scripts/resource/check'
import { migrateResource } from '../../../scripts/resource/migrate'
import { askServer } from '../../../supabase/embedded/control'
import { plainClient } from '../../support/backend'
import { patience } from '../../support/patience'
import { BRIEF, program } from '../../support/program'
import { withoutAdded } from '../../support/without-added'

const ROOT = resolve(import.meta.dirname, '../../..')
const COPIED = [
  'casbin-model.conf',
  'docs',
  'locales',
  'package.json',
  'policies',
  'resources',
  'scripts',
  'src',
  'supabase',
  'tsconfig.json',
]

interface Words {
  values: Record<string, string>
}

interface Step {
  language: string
  target: string
  text: string
}

/** In place of npm: its scripts, packed by `program`, which start in a third of the time. */
const SHIM = `#!/bin/sh
packed="$PWD/supabase/.temp/$2.mjs"
if [ "$1" != run ] || [ ! -f "$packed" ]; then echo "No packed script $2" >&2; exit 2; fi
shift 2
if [ "$1" = -- ]; then shift; fi
exec "${process.execPath}" ${BRIEF.join(' ')} "$packed" "$@"
`

/** The fenced blocks of a page, in order: commands, and what a person would type into files. */
function stepsOf(markdown: string): Step[] {
  return [...markdown.matchAll(/^```(\w+) ?(.*)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', target = '', text = '']) => ({
      language,
      target,
      text,
    }),
  )
}

describe('the tutorial', () => {
  let tree: string
  let dataDir: string
  let server: ChildProcess
  let admin: SupabaseClient
  const outputs: string[] = []

  const environment = ({ isNpm = false } = {}) => ({
    PATH: [...(isNpm ? [] : [join(tree, 'bin')]), join(ROOT, 'node_modules/.bin'), process.env.PATH].join(
      ':',
    ),
    HOME: process.env.HOME,
    PORT: '0',
    DATA_DIR: dataDir,
  })
  const sh = async (command: string, how: { isNpm?: boolean } = {}): Promise<string> => {
    const { stdout } = await promisify(execFile)('sh', ['-ec', command], { cwd: tree, env: environment(how) })
    return stdout
  }
  const write = (path: string, text: string) => writeFileSync(join(tree, path), text)
  const read = (path: string) => readFileSync(join(tree, path), 'utf8')

  async function follow({ language, target, text }: Step): Promise<void> {
    // The first as it is typed: npm finds the script and runs its sources.
    if (language === 'sh') outputs.push(await sh(text, { isNpm: outputs.length === 0 }))
    else if (language === 'sql') {
      const folder = 'supabase/migrations'
      const stamp = nextFillName(readdirSync(join(tree, folder)), new Date()).slice(0, 14)
      write(`${folder}/${stamp}_${target}.sql`, text)
    } else if (language === 'csv') write(target, (existsSync(join(tree, target)) ? read(target) : '') + text)
    else if (target.startsWith('locales/')) {
      const words = JSON.parse(read(target)) as Words
      const { values } = JSON.parse(text) as Words
      Object.assign(words.values, values)
      write(target, JSON.stringify(words, null, 2))
    } else if (language === 'json') {
      const definition = JSON.parse(read('resources/printers.json')) as Record<string, object>
      definition[target] = { ...definition[target], ...(JSON.parse(text) as object) }
      write('resources/printers.json', JSON.stringify(definition, null, 2))
    } else throw new Error(`The tutorial has a block that no test follows: ${language} ${target}`)
  }

  beforeAll(async () => {
    tree = mkdtempSync(join(tmpdir(), 'konsol-tutorial-'))
    dataDir = join(tree, 'supabase/.temp/data')
    for (const path of COPIED)
      cpSync(join(ROOT, path), join(tree, path), {
        recursive: true,
        filter: (source) => !/supabase[\\/]\.temp[\\/](?!snapshots)/.test(source),
      })
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'), 'junction')
    mkdirSync(dataDir, { recursive: true })
    const packed = (script: string) => join(tree, `supabase/.temp/${script}.mjs`)
    for (const script of ['scripts/resource', 'scripts/policies', 'tests/support/serve'])
      cpSync(
        await program(new URL(`../../../${script}.ts`, import.meta.url)),
        packed(script.split('/').at(-1) ?? ''),
      )
    mkdirSync(join(tree, 'bin'))
    writeFileSync(join(tree, 'bin/npm'), SHIM, { mode: 0o755 })
    await withoutAdded(tree, (name) => sh(`npm run resource -- remove ${name} --drop --yes`))
    server = spawn(process.execPath, [...BRIEF, packed('serve')], {
      cwd: tree,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let complaints = ''
    server.stderr?.on('data', (chunk) => {
      complaints += String(chunk)
    })
    const [url = '', key = ''] = await new Promise<string[]>((done, fail) => {
      server.stdout?.on('data', (chunk) => {
        const ready = /ready (\S+) (\S+)/.exec(String(chunk))
        if (ready) done(ready.slice(1))
      })
      server.once('exit', (code) => fail(new Error(`The server ended with ${code}: ${complaints}`)))
    })
    const password = await askServer<string>(dataDir, 'admin-create', 'super@example.test')
    admin = plainClient(url, key)
    const { error } = await admin.auth.signInWithPassword({ email: 'super@example.test', password })
    expect(error).toBeNull()
  })
  afterAll(async () => {
    const ended = new Promise((done) => server.once('exit', done))
    server.kill('SIGTERM')
    if (server.exitCode === null && server.signalCode === null) await ended
    rmSync(tree, { recursive: true, force: true })
  })

  it(
    'works to the letter, in a console that runs',
    async () => {
      const before = JSON.stringify(readdirSync(join(tree, 'src'), { recursive: true }))
      for (const step of stepsOf(read('docs/tutorial.md'))) await follow(step)
      expect(outputs.at(-1)).toContain('No problems found.')
      expect(outputs.join('')).toContain('Applied to the running console')
      expect(outputs.join('')).toContain('Field Auditor is a new role and may do dashboard: list, show;')
      expect(JSON.stringify(readdirSync(join(tree, 'src'), { recursive: true }))).toBe(before)
      for (const language of ['en', 'tr']) {
        const wrote = (name: string) => `wrote locales/${language}/resources/${name}.json`
        expect(outputs[0]).toContain(wrote('printers'))
        expect(outputs[0]).not.toContain(wrote('_shared'))
        expect(outputs.join('')).toContain(wrote('expired_printers'))
        expect(existsSync(join(tree, `locales/${language}/resources/printers.json`))).toBe(true)
      }
      // Seven commands, each a process of its own.
    },
    patience(300_000),
  )

  it('gives a table that holds what the definition says', async () => {
    const company = await admin.from('companies').insert({ name: 'Matbaa' }).select('id').single()
    const company_id: unknown = company.data?.id
    const printer = { company_id, serial: 'ŞX-10', model: 'Işık', bought_on: '2026-01-10' }
    const refused = async (values: object) =>
      (await admin.from('printers').insert({ ...printer, ...values })).error?.code
    expect(await refused({ serial: '   ' })).toBe('23514')
    expect(await refused({ serial: null })).toBe('23502')
    expect(await refused({ status: 'lost' })).toBe('23514')
    expect(await refused({ warranty: '2025-12-31' })).toBe('23514')
    expect(await refused({ status: 'retired' })).toBe('23514')
    expect(await refused({ device_id: '00000000-0000-4000-8000-000000000000' })).toBe('23503')
    expect(await refused({ id: '00000000-0000-4000-8000-000000000000' })).toBe('42501')

    const rows = [
      printer,
      { ...printer, serial: 'SX-9', model: 'B' },
      { ...printer, serial: 'SX-10', model: 'C' },
    ]
    expect((await admin.from('printers').insert(rows)).error).toBeNull()
    const sorted = await admin.from('printers').select('serial').order('serial_key')
    expect(sorted.data?.map(({ serial }) => serial)).toEqual(['SX-9', 'SX-10', 'ŞX-10'])
    const found = await admin.rpc('search_printers', { q: 'isik' }).select('id, serial, version')
    expect(found.data).toMatchObject([{ serial: 'ŞX-10', version: 1 }])

    const ids = [found.data].flat().map((row): unknown => row?.id)
    expect(await admin.rpc('retire_printers', { ids, reason: 'Worn out' })).toMatchObject({
      error: null,
      data: 1,
    })
    const retired = await admin.from('printers').select('status, reason, version').eq('status', 'retired')
    expect(retired.data).toEqual([{ status: 'retired', reason: 'Worn out', version: 2 }])
    const logged = await admin.from('audit_log').select('action').eq('table_name', 'printers')
    expect(logged.data?.map(({ action }) => action).sort()).toEqual(['create', 'create', 'create', 'edit'])
  })

  it('gives a role that accounts can have, and that is not removed while one has it', async () => {
    const { data } = await admin.from('companies').insert({ name: 'Denetim' }).select('id').single()
    const person = {
      name: 'Ada',
      email: 'ada@example.test',
      role: 'Field Auditor',
      company_id: data?.id as string,
    }
    expect((await admin.from('users').insert(person)).error).toBeNull()
    const file = 'policies/field-auditor.csv'
    const text = read(file)
    rmSync(join(tree, file))
    await expect(sh('npm run policies')).rejects.toMatchObject({
      stderr: expect.stringContaining(
        `${file}:1: the role Field Auditor cannot be removed: accounts with it: 1.`,
      ),
    })
    write(file, text)
  })

  it('says which rows of the console would break a new rule, and writes nothing', async () => {
    const before = read('resources/printers.json')
    const migrations = readdirSync(join(tree, 'supabase/migrations')).length
    const definition = JSON.parse(before) as { fields: Record<string, object> }
    definition.fields.serial = { ...definition.fields.serial, max_length: 4, pattern: '^[a-z]+$' }
    write('resources/printers.json', JSON.stringify(definition))
    vi.stubEnv('DATA_DIR', dataDir)
    await expect(migrateResource(tree, { name: 'printers' }, () => undefined)).rejects.toThrow(
      /3 rows of `printers` break what the definition says of `serial`, such as [0-9a-f-]{36}, .*\n.*Find them: select \* from public\.printers r where /,
    )
    vi.unstubAllEnvs()
    expect(readdirSync(join(tree, 'supabase/migrations')).length).toBe(migrations)
    write('resources/printers.json', before)
  })

  it('applies a pending migration by hand, with the name of its view or without one', async () => {
    const change = (stamp: string, columns: string) =>
      write(
        `supabase/migrations/${stamp}_widen_expired_printers.sql`,
        `create or replace view public.expired_printers with (security_invoker = true) as
           select id, company_id, serial, model, warranty, ${columns} from public.printers where warranty < current_date;`,
      )
    change('20991231235955', 'status')
    const told = await sh('npm run resource migrate expired_printers')
    expect(told).toContain(
      '`expired_printers` is a view: what it reads is changed in a migration of your own.',
    )
    expect(told).toContain('Applied to the running console: 20991231235955_widen_expired_printers.sql.')
    change('20991231235956', 'status, cost')
    expect(await sh('npm run resource migrate')).toContain(
      'Applied to the running console: 20991231235956_widen_expired_printers.sql.',
    )
    expect(await sh('npm run resource migrate')).toContain('The running console had every migration already.')
    const { data } = await admin.from('expired_printers').select('cost')
    expect(data).not.toBeNull()
  })

  it('looks at the database before it asks for a generated column, or refuses another type', async () => {
    const before = read('resources/printers.json')
    const edit = (change: Record<string, object>) => {
      const definition = JSON.parse(before) as { fields: Record<string, object> }
      write(
        'resources/printers.json',
        JSON.stringify({ ...definition, fields: { ...definition.fields, ...change } }),
      )
    }
    const migrate = async () => {
      const said: string[] = []
      vi.stubEnv('DATA_DIR', dataDir)
      await migrateResource(tree, { name: 'printers', yes: true }, (line) => said.push(line)).finally(() =>
        vi.unstubAllEnvs(),
      )
      return said.join('\n')
    }
    const asked = '`twice` is computed: write its generated column in a migration of your own.'
    edit({ twice: { type: 'computed', as: 'number' } })
    expect(await migrate()).toContain(asked)
    write(
      'supabase/migrations/20991231235957_twice.sql',
      'alter table public.printers add column twice numeric generated always as (cost * 2) stored;',
    )
    expect(await migrate()).not.toContain(asked)
    edit({ twice: { type: 'computed', as: 'number' }, warranty: { type: 'number' } })
    await expect(migrate()).rejects.toThrow(/`warranty` is `date` .* no conversion of its values is safe/)
    write(
      'supabase/migrations/20991231235958_drop_twice.sql',
      'alter table public.printers drop column twice;',
    )
    expect(await askServer(dataDir, 'migrate')).toEqual(['20991231235958_drop_twice.sql'])
    write('resources/printers.json', before)
  })

  it('is found again by from-table, and a command that fails leaves nothing behind', async () => {
    const definition = JSON.parse(read('resources/printers.json')) as {
      fields: Record<string, { type: string }>
    }
    rmSync(join(tree, 'resources/printers.json'))
    const view = 'supabase/migrations/20991231235959_all_groups.sql'
    write(
      view,
      `-- Read by reports.
create view public.all_groups as select * from public.groups;
grant select on public.all_groups to authenticated;`,
    )
    expect(await askServer(dataDir, 'migrate')).toEqual([basename(view)])
    const found = checkTree(tree, await askServer(dataDir, 'catalog')).map(
      ({ file, line, message }) => `${file}:${line}  ${message}`,
    )
    expect(found.join('\n')).toContain(
      'resources/printers.json:1  the file is gone, but the API still serves',
    )
    expect(found.join('\n')).toContain(`${view}:2  the view \`all_groups\` reads its tables as its owner`)
    await sh('npm run resource from-table printers')
    const described = JSON.parse(read('resources/printers.json')) as typeof definition
    const kinds = ({ fields }: typeof definition) =>
      Object.fromEntries(
        Object.entries(fields).map(([name, { type }]) => [name, type === 'money' ? 'number' : type]),
      )
    expect(kinds(described)).toEqual({ ...kinds(definition), reason: 'text' })
    expect(described.fields.serial).toMatchObject({
      required: true,
      max_length: 200,
      sort: 'serial_key',
      search: true,
    })

    const migrations = readdirSync(join(tree, 'supabase/migrations')).length
    await expect(sh('npm run resource -- new kiosks "name:txt"')).rejects.toMatchObject({
      stderr: expect.stringContaining('Did you mean `text`?'),
    })
    expect(readdirSync(join(tree, 'supabase/migrations')).length).toBe(migrations)
  })
})
