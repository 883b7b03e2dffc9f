import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin'
import { afterAll, describe, expect, it } from 'vitest'
import { checkPolicies, parseLines, readPolicies, showProblem } from '../../scripts/policies/lines'
import { planFill } from '../../scripts/policies/migration'
import { publicRelations, readMigrations, readVocabulary, SCREENS } from '../../scripts/policies/vocabulary'
import { readPages } from '../../scripts/resource/pages'
import { addResourcePolicies } from '../../scripts/resource-policies'

const root = fileURLToPath(new URL('../..', import.meta.url))
const vocabulary = readVocabulary(root)
const policies = readPolicies(root)
const migrations = readMigrations(root)

function problems(file: string, text: string): string[] {
  return checkPolicies(parseLines(file, text), vocabulary).map(showProblem)
}

describe('policies/', () => {
  it('is without a mistake', () => {
    expect(checkPolicies(policies, vocabulary).map(showProblem)).toEqual([])
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

  const questions = migrations.flatMap(({ sql }) =>
    [...sql.matchAll(/app\.(?:can|require|why_not)\('([^']+)',\s*'([^']+)'/g)].map(([, object, verb]) => ({
      object: object ?? '',
      verb: verb ?? '',
    })),
  )

  it('names only tables that the database asks about, and screens', () => {
    const asked = new Set(questions.map(({ object }) => object))
    const screens: readonly (string | undefined)[] = [
      ...SCREENS,
      ...readPages(root).map(({ values }) => values.object),
    ]
    const named = new Set(policies.map(({ cells }) => cells[2] ?? ''))
    // Read marks belong to their user: the page is a permission, the rows are not.
    const idle = [...named].filter(
      (object) => !asked.has(object) && !screens.includes(object) && !['*', 'notifications'].includes(object),
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
    const unnamed = new Set(
      questions.map(({ object, verb }) => `${object} ${verb}`).filter((key) => !named.has(key)),
    )
    expect([...unnamed].sort()).toEqual(
      [
        'apps create',
        'apps delete',
        'apps edit',
        'companies create',
        'companies delete',
        'failed_login_attempts list',
      ].sort(),
    )
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
    ['an empty cell', 'p, Admin, , list, allow', 'empty or quoted cell'],
    ['a quoted cell', 'p, Admin, "devices", list, allow', 'empty or quoted cell'],
    ['another kind of line', 'q, Admin, devices', 'a line begins with p or g, not "q"'],
    ['an unknown parent', 'g, Admin, Teknk', 'unknown role "Teknk"; did you mean "Teknik"?'],
    ['a role that inherits from itself', 'g, Admin, Admin', 'Admin inherits from itself'],
  ])('refuses %s with file, line and what to write', (_what, line, text) => {
    const found = problems('admin.csv', `# a comment\n\n${line}\n`)
    expect(found.join('\n')).toContain(text)
    expect(found[0]).toMatch(/^policies\/admin\.csv:3: /)
  })

  it('points from a repeated line, or one that contradicts, to the first', () => {
    const line = 'p, Admin, devices, list, allow'
    expect(problems('admin.csv', `${line}\n${line}`)).toEqual(['policies/admin.csv:2: repeats admin.csv:1'])
    expect(problems('admin.csv', `${line}\np, Admin, devices, list, deny`)).toEqual([
      'policies/admin.csv:2: contradicts admin.csv:1',
    ])
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
  })
})
