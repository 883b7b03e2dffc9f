import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin'
import { afterAll, describe, expect, it } from 'vitest'
import { tableOf } from '@/resource/language/naming'
import { checkPolicies, parseLines, readPolicies, rolesOf, showProblem } from '../../scripts/policies/lines'
import { planFill } from '../../scripts/policies/migration'
import { publicRelations, readMigrations, readVocabulary, SCREENS } from '../../scripts/policies/vocabulary'
import { readPages } from '../../scripts/resource/pages'
import { definitionsOf, readDefinitions } from '../../scripts/resource/tree'
import { addResourcePolicies } from '../../scripts/resource-policies'

const root = fileURLToPath(new URL('../..', import.meta.url))
const vocabulary = readVocabulary(root)
const policies = readPolicies(root)
const definitions = definitionsOf(readDefinitions(root))
const migrations = readMigrations(root)

/** The problems of a file as it would be, beside those there are. */
function problems(file: string, text: string): string[] {
  return checkPolicies([...parseLines(file, text), ...policies], vocabulary).map(showProblem)
}

describe('policies/', () => {
  it('is without a mistake', () => {
    expect(checkPolicies(policies, vocabulary).map(showProblem)).toEqual([])
  })

  it('is the only place that names a role: the console asks for permissions', () => {
    const named = new RegExp(`['"\`](?:${rolesOf(policies).join('|')})['"\`]`)
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    const naming = files
      .filter((file) => /\.tsx?$/.test(file))
      .filter((file) => named.test(readFileSync(join(root, 'src', file), 'utf8')))
    expect(naming).toEqual([])
    expect(named.test(`if (user.role === 'Super Admin')`)).toBe(true)
  })

  it('is what the fill migrations give together', () => {
    expect(planFill(migrations, policies)).toBeNull()
  })

  it('is read by Casbin itself, comments and all', async () => {
    const files = new Set(policies.map(({ file }) => file))
    const text = [...files].map((file) => readFileSync(join(root, 'policies', file), 'utf8')).join('\n')
    const model = newModelFromString(readFileSync(join(root, 'casbin-model.conf'), 'utf8'))
    const enforcer = await newEnforcer(model, new StringAdapter(text))
    const lines = policies.filter(({ cells: [type] }) => type === 'p').map(({ cells }) => cells.slice(1))
    expect(await enforcer.getPolicy()).toEqual(lines)
  })

  /** The database in its final state: a migration may ask about an object that a later one takes away. */
  const schemas = readdirSync(join(root, 'supabase/schemas'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql'))
    .map((file) => readFileSync(join(root, 'supabase/schemas', file), 'utf8'))
  const questions = schemas.flatMap((sql) =>
    [...sql.matchAll(/app\.(?:can|require|require_rows|sees_rows|why_not)\('([^']+)',\s*'([^']+)'/g)].map(
      ([, object, verb]) => ({
        object: object ?? '',
        verb: verb ?? '',
      }),
    ),
  )

  it('names only tables that the database asks about, and screens', () => {
    const asked = new Set(questions.map(({ object }) => object))
    const screens: readonly (string | undefined)[] = [
      ...SCREENS,
      ...readPages(root).map(({ values }) => values.object),
    ]
    const named = new Set(policies.map(({ cells }) => cells[2] ?? ''))
    // A view asks for what its tables ask.
    const views = new Set(
      migrations.flatMap(({ sql }) =>
        [...sql.matchAll(/\bcreate (?:or replace )?view (?:public\.)?(\w+)/gi)].map(([, view]) => view),
      ),
    )
    const viewed = definitions.filter((each) => views.has(tableOf(each))).map(({ name }) => name)
    // Read marks belong to their user: the page is a permission, the rows are not.
    const idle = [...named].filter(
      (object) =>
        !asked.has(object) &&
        ![...screens, ...viewed].includes(object) &&
        !['*', 'notifications'].includes(object),
    )
    expect(idle).toEqual([])
  })

  it('knows every object and verb that the database asks about', () => {
    expect(questions.length).toBeGreaterThan(20)
    expect(
      questions.filter(({ object, verb }) => !vocabulary.objects.has(object) || !vocabulary.verbs.has(verb)),
    ).toEqual([])
  })

  it('knows every object that a page of the console stands behind', () => {
    const objects = readPages(root).map(({ values }) => values.object)
    expect(objects.length).toBeGreaterThan(4)
    expect(objects.filter((object) => !vocabulary.objects.has(object ?? ''))).toEqual([])
  })

  it('leaves to Super Admin alone what is meant for nobody else', () => {
    const named = new Set(policies.map(({ cells: [, , object, verb] }) => `${object} ${verb}`))
    // Rows of everybody, which the platform writes.
    const platform = definitions
      .filter(({ tenant }) => tenant === false)
      .flatMap(({ name }) => ['create', 'edit', 'delete'].map((verb) => `${name} ${verb}`))
    const dropped = new Set(
      migrations.flatMap(({ sql }) =>
        [...sql.matchAll(/^drop table public\.(\w+);/gm)].map(([, table]) => table),
      ),
    )
    const unnamed = questions
      .filter(({ object }) => !dropped.has(object))
      .map(({ object, verb }) => `${object} ${verb}`)
      .filter((key) => !named.has(key) && !platform.includes(key))
    // The row rules of approvals name every verb; functions alone write them.
    expect([...new Set(unnamed)]).toEqual([
      'failed_login_attempts list',
      'ticket_approvals create',
      'ticket_approvals edit',
      'ticket_approvals delete',
      // Whoever claims the address of another company reads its mail.
      'mail_addresses create',
      'mail_addresses edit',
      'mail_addresses delete',
    ])
    expect(platform).toContain('apps create')
  })
})

describe('npm run policies', () => {
  it.each([
    [
      'an unknown object',
      'p, Admin, devcies, list, allow',
      'unknown object "devcies"; did you mean "devices"?',
    ],
    ['an unknown verb', 'p, Admin, devices, lst, allow', 'unknown verb "lst"; did you mean "list"?'],
    ['an unknown role', 'p, Admn, devices, list, allow', 'unknown role "Admn"; did you mean "Admin"?'],
    ['an unknown effect', 'p, Admin, devices, list, alow', 'unknown effect "alow"; did you mean "allow"?'],
    ['a word far from any', 'p, Admin, zzzzzzzz, list, allow', 'unknown object "zzzzzzzz"'],
    [
      'a line in another role’s file',
      'p, Teknik, devices, list, allow',
      'a line of Teknik belongs in teknik.csv',
    ],
    ['a star for a company role', 'p, Admin, *, list, allow', 'Super Admin only'],
    ['an allowed verb class', 'p, Admin, devices, write, allow', '"write" may only be denied'],
    ['a missing cell', 'p, Admin, devices, list', 'expected: p, role, object, verb, allow|deny'],
    ['an empty cell', 'p, Admin, , list, allow', 'a cell is empty; write'],
    ['a quoted cell', 'p, Admin, "devices", list, allow', 'a cell is in quotes; write it without'],
    ['another kind of line', 'q, Admin, devices', 'a line begins with p or g, not "q"'],
    ['an unknown parent', 'g, Admin, Teknk', 'unknown role "Teknk"; did you mean "Teknik"?'],
    ['a role that inherits from itself', 'g, Admin, Admin', 'Admin inherits from itself'],
  ])('refuses %s with file, line and what to write', (_what, line, text) => {
    const found = problems('admin.csv', `# a comment\n\n${line}\n`)
    expect(found.join('\n')).toContain(text)
    expect(found[0]).toMatch(/^policies\/admin\.csv:3: /)
  })

  it('points from a repeated line, or one that contradicts, to the first', () => {
    const line = 'p, Admin, apps, create, allow'
    expect(problems('admin.csv', `${line}\n${line}`)).toEqual([
      'policies/admin.csv:2: repeats admin.csv:1; remove one of the two',
    ])
    expect(problems('admin.csv', `${line}\np, Admin, apps, create, deny`)).toEqual([
      'policies/admin.csv:2: contradicts admin.csv:1; remove one of the two',
    ])
  })

  it('takes a file for a new role, which may inherit', () => {
    const text =
      'g, Field Auditor, Teknik\ng, Field Auditor, read-only\np, Field Auditor, tickets, list, deny'
    expect(problems('field-auditor.csv', text)).toEqual([])
    expect(rolesOf([...policies, ...parseLines('field-auditor.csv', text)])).toContain('Field Auditor')
    expect(rolesOf(policies).sort()).toEqual(['Admin', 'Standard', 'Super Admin', 'Teknik'])
  })

  it.each([
    ['auditor.csv', 'g, Auditor, Super Admin', 'no role inherits from Super Admin'],
    ['auditor.csv', 'p, Auditor, *, list, allow', 'Super Admin only'],
    ['auditor.csv', 'p, Auditor, devices, *, allow', 'Super Admin only'],
    ['auditor.csv', 'g, Auditor, Tecnik', 'unknown role "Tecnik"; did you mean "Teknik"?'],
    ['auditor.csv', 'p, Standard, devices, list, allow', 'a line of Standard belongs in standard.csv'],
    ['auditor.csv', 'p, Field Auditor, devices, list, allow', 'belongs in field-auditor.csv'],
    ['auditor.csv', 'p, auditor, devices, list, allow', '"auditor" cannot be the name of a role'],
    ['auditör.csv', 'p, Auditör, devices, list, allow', '"Auditör" cannot be the name of a role'],
    ['auditor.csv', `p, A${'b'.repeat(40)}, devices, list, allow`, 'at most 40 characters'],
    ['read-only.csv', 'p, Read Only, devices, list, allow', 'read-only.csv is the file of read-only'],
    ['read-only.csv', 'p, read-only, devices, list, allow', 'only denies'],
    ['without-pro.csv', 'g, without-pro, Teknik', 'inherits nothing'],
    ['auditor.csv', 'g, Auditor, Auditor', 'Auditor inherits from itself'],
  ])('refuses in %s: %s', (file, line, text) => {
    const found = problems(file, line)
    expect(found.join('\n')).toContain(text)
    expect(found[0]).toMatch(new RegExp(`^policies/${file}:1: `))
  })

  it('refuses a circle of roles at each of its lines, two roles in a file, and a missing Admin', () => {
    const circle = [...parseLines('one.csv', 'g, One, Two'), ...parseLines('two.csv', 'g, Two, One')]
    expect(checkPolicies([...policies, ...circle], vocabulary).map(showProblem)).toEqual([
      'policies/one.csv:1: One inherits from itself; remove one of the lines',
      'policies/two.csv:1: Two inherits from itself; remove one of the lines',
    ])
    const two = 'p, Auditor, devices, list, allow\np, AUDITOR, devices, show, allow'
    expect(problems('auditor.csv', two)[0]).toMatch(
      /^policies\/auditor\.csv:2: auditor\.csv is the file of Auditor/,
    )
    const rest = policies.filter(({ file }) => file !== 'admin.csv')
    expect(checkPolicies(rest, vocabulary).map(showProblem)).toContain(
      'policies/admin.csv:1: the console needs the role Admin; restore its lines',
    )
  })

  it('takes tables and views of the exposed schema for objects, and no private ones', () => {
    const sql = `create table public.printers (); create table app.hidden ();
      create or replace view public.users as select 1; create table if not exists loose ();
      -- create table public.commented ()
      comment on table public.printers is 'create table public.quoted';`
    expect(publicRelations(sql)).toEqual(['printers', 'users', 'loose'])
  })
})

describe('addResourcePolicies', () => {
  const copy = mkdtempSync(join(tmpdir(), 'policies-'))
  afterAll(() => rmSync(copy, { recursive: true }))

  it('gives a new resource its starting lines once', () => {
    cpSync(join(root, 'policies'), join(copy, 'policies'), { recursive: true })
    expect(addResourcePolicies(copy, 'printers')).toEqual(['policies/admin.csv', 'policies/teknik.csv'])
    expect(addResourcePolicies(copy, 'printers')).toEqual([])
    const words = { ...vocabulary, objects: new Set([...vocabulary.objects, 'printers']) }
    const lines = readPolicies(copy)
    expect(checkPolicies(lines, words)).toEqual([])
    const verbs = (role: string) =>
      lines.filter(({ cells }) => cells[1] === role && cells[2] === 'printers').map(({ cells }) => cells[3])
    expect(verbs('Admin')).toEqual(['list', 'show', 'create', 'edit', 'delete', 'import', 'export'])
    expect(verbs('Teknik')).toEqual(['list', 'show', 'create', 'edit', 'export'])
    rmSync(join(copy, 'policies/teknik.csv'))
    expect(addResourcePolicies(copy, 'scanners')).toEqual(['policies/admin.csv'])
  })
})
