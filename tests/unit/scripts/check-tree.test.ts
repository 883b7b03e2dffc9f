import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { checkResources, tellProblems } from '../../../scripts/resource/check'
import type { Catalog } from '../../../supabase/embedded/catalog'

const ROOT = resolve(import.meta.dirname, '../../..')
const CHANGED = ['resources', 'locales', 'policies']
const catalog: Catalog = { tables: [], functions: [], signatures: [], triggerSources: {} }

let tree: string
beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'konsol-check-'))
  for (const path of ['src', 'supabase']) symlinkSync(join(ROOT, path), join(tree, path), 'junction')
})
afterAll(() => rmSync(tree, { recursive: true, force: true }))
beforeEach(() => {
  for (const path of CHANGED) {
    rmSync(join(tree, path), { recursive: true, force: true })
    mkdirSync(join(tree, path))
    cpSync(join(ROOT, path), join(tree, path), { recursive: true })
  }
})

/** What the linter says of the tree, but for the database, which is empty here. */
const found = () =>
  checkResources(tree, catalog)
    .filter(({ message }) => !/the database has no/.test(message))
    .map(({ file, line, message, hint }) => `${file}:${line} ${message}${hint ? ` | ${hint}` : ''}`)

type Json = Record<string, Record<string, Record<string, unknown>>>
function change(path: string, edit: (value: Json) => void): void {
  const value = JSON.parse(readFileSync(join(tree, path), 'utf8')) as Json
  edit(value)
  writeFileSync(join(tree, path), JSON.stringify(value, null, 2))
}
const line = (path: string, text: string) =>
  readFileSync(join(tree, path), 'utf8')
    .split('\n')
    .findIndex((each) => each.includes(text)) + 1

it('reports nothing for a valid tree', () => {
  expect(found()).toEqual([])
})

it('prints what it found, and fails unless all of it are warnings', () => {
  const problem = { file: 'resources/a.json', line: 3, message: 'no icon `x`' }
  const told = (problems: Parameters<typeof tellProblems>[0], isInterrupted = false) => {
    const [said, complaints]: [string[], string[]] = [[], []]
    const out = { say: (line: string) => said.push(line), complain: (line: string) => complaints.push(line) }
    try {
      tellProblems(problems, isInterrupted, out)
      return { said, complaints, refusal: null }
    } catch (error) {
      return { said, complaints, refusal: (error as Error).message }
    }
  }
  expect(told([])).toEqual({ said: ['No problems found.'], complaints: [], refusal: null })
  expect(told([{ ...problem, isWarning: true }])).toEqual({
    said: ['1 warning.', 'No problems found.'],
    complaints: ['resources/a.json:3  warning: no icon `x`'],
    refusal: null,
  })
  expect(told([{ ...problem, hint: 'Write `y`.' }, problem])).toEqual({
    said: [],
    complaints: ['resources/a.json:3  no icon `x`\n    Write `y`.', 'resources/a.json:3  no icon `x`'],
    refusal: '2 problems found.',
  })
  expect(told([problem]).refusal).toBe('1 problem found.')
  expect(told([], true).refusal).toContain('A command was interrupted')
})

describe('the texts of resources', () => {
  const EN = 'locales/en/resources.json'
  const TR = 'locales/tr/resources.json'
  const both = (edit: (value: Json) => void) => {
    change(EN, edit)
    change(TR, edit)
  }

  const wrong: [what: string, edit: (words: Json) => void, text: string, said: string][] = [
    [
      'of a resource that is not there',
      (words) => Object.assign(words, { devics: { one: 'a' } }),
      '"devics"',
      'nothing is called `devics`, so no screen shows this text | Did you mean `devices`?',
    ],
    [
      'of a field',
      (words) => Object.assign(words.devices?.fields ?? {}, { statsu: 'a' }),
      '"statsu"',
      'nothing is called `devices.fields.statsu`, so no screen shows this text | Did you mean `status`?',
    ],
    [
      'of a value',
      (words) => Object.assign(words.devices?.values?.status ?? {}, { onlin: 'a' }),
      '"onlin"',
      'nothing is called `devices.values.status.onlin`, so no screen shows this text | Did you mean `online`?',
    ],
    [
      'of a kind of text',
      (words) => Object.assign(words.devices ?? {}, { feilds: { name: 'a' } }),
      '"feilds"',
      'nothing is called `devices.feilds`, so no screen shows this text | Did you mean `fields`?',
    ],
    [
      'of a view',
      (words) => Object.assign(words.devices?.views ?? {}, { gone_missing: 'a' }),
      '"gone_missing"',
      'nothing is called `devices.views.gone_missing`, so no screen shows this text | Remove it.',
    ],
    [
      'of an action',
      (words) => Object.assign(words.patches?.done ?? {}, { aprove_one: 'a' }),
      '"aprove_one"',
      'nothing is called `patches.done.aprove_one`, so no screen shows this text | Did you mean `approve_one`?',
    ],
    [
      'of a group',
      (words) => Object.assign(words._shared ?? {}, { groups: { office: 'a' } }),
      '"office"',
      'nothing is called `_shared.groups.office`, so no screen shows this text | Remove it.',
    ],
  ]

  it('are named by their line where nothing is called so', () => {
    both((words) => {
      for (const [, edit] of wrong) edit(words)
    })
    const expected = [EN, TR].flatMap((file) =>
      wrong.map(([, , text, said]) => `${file}:${line(file, text)} ${said}`),
    )
    expect(found().sort()).toEqual(expected.sort())
  })

  it('are in both languages, and say something', () => {
    change(EN, (words) => {
      Object.assign(words.devices?.help ?? {}, { os: 'a' })
      Object.assign(words.devices?.columns ?? {}, { 'status.x': 5 })
      Object.assign(words.groups ?? {}, { empty: '' })
    })
    expect(found().sort()).toEqual([
      expect.stringContaining('nothing is called `devices.columns.status.x`'),
      `${EN}:${line(EN, '"empty": ""')} the text of \`groups.empty\` is empty`,
      expect.stringMatching(
        new RegExp(`^${TR}:\\d+ the text \`devices.help.os\` is not in Turkish \\| Add it here`),
      ),
    ])
  })

  it('name the group of a resource, and its own texts in both languages', () => {
    change('resources/monitors.json', (monitors) => {
      delete monitors.section
      Object.assign(monitors, { group: 'office' })
      Object.assign(monitors.fields?.name ?? {}, { help: { en: 'a' } })
    })
    const said = found().join('\n')
    expect(said).toMatch(
      /no English word for the group `office` \| Add `_shared.groups.office` to locales\/en/,
    )
    expect(said).toMatch(/the text is not in Turkish \| Add `"tr"`/)
    both((words) => Object.assign(words._shared ?? {}, { groups: { office: 'Office' } }))
    change('resources/monitors.json', (monitors) => delete monitors.fields?.name?.help)
    expect(found()).toEqual([])
  })
})

describe('the permissions that a definition names', () => {
  const wrong: [what: string, name: string, edit: (definition: Json) => void, said: string][] = [
    [
      'of an object that is not there',
      'tickets',
      ({ fields }) =>
        Object.assign(fields?.subject ?? {}, { guard: { write: { object: 'tickts', verb: 'assign' } } }),
      'no permission object `tickts` | Did you mean `tickets`?',
    ],
    [
      'of a verb that nobody holds',
      'tickets',
      ({ fields }) =>
        Object.assign(fields?.category_id ?? {}, { guard: { read: { object: 'tickets', verb: 'asign' } } }),
      'no line of policies/ lets any role `asign` `tickets` | Did you mean `assign`?',
    ],
    [
      'of a value',
      'tickets',
      ({ fields }) =>
        Object.assign(fields?.status ?? {}, { needs: { closed: { object: 'users', verb: 'invit' } } }),
      'no line of policies/ lets any role `invit` `users` | Did you mean `invite`?',
    ],
    [
      'of a tab',
      'groups',
      ({ show }) => Object.assign(show?.tabs?.members ?? {}, { policy: { object: 'groups', verb: 'join' } }),
      'no line of policies/ lets any role `join` `groups` | Add `p, Admin, groups, join, allow` to policies/admin.csv.',
    ],
    [
      'of an action',
      'groups',
      ({ actions }) =>
        Object.assign(actions?.run_procedure ?? {}, { policy: { object: 'procedure', verb: 'run' } }),
      'no permission object `procedure` | Did you mean `procedures`?',
    ],
    [
      'of a license',
      'groups',
      (definition) => Object.assign(definition, { requires: 'pro' }),
      'no line of policies/without-pro.csv denies `groups`: companies without the license have it too',
    ],
    [
      'without its license',
      'apps',
      (definition) => delete definition.requires,
      'policies/without-pro.csv denies `apps`, and its pages would not say that it needs a license',
    ],
  ]

  it('exist, and some role holds them', () => {
    for (const [, name, edit] of wrong) change(`resources/${name}.json`, edit)
    const problems = found()
    for (const [, name, , said] of wrong)
      expect(
        problems.filter((each) => each.startsWith(`resources/${name}.json:`) && each.includes(said)),
      ).toHaveLength(1)
    expect(problems).toHaveLength(wrong.length)
  })
})

it('reports a broken file, but not the files that refer to it', () => {
  writeFileSync(join(tree, 'resources/devices.json'), '{ "name": "devices", ')
  writeFileSync(
    join(tree, 'resources/patches.json'),
    '{ "name": "patches", "fields": { "name": { "type": "txt" } } }',
  )
  writeFileSync(
    join(tree, 'policies/admin.csv'),
    `${readFileSync(join(tree, 'policies/admin.csv'), 'utf8')}p, Admin, patches, postpone, allow\n`,
  )
  const said = found()
  expect(said).toHaveLength(2)
  expect(said[0]).toMatch(/^resources\/devices\.json:1 not JSON/)
  expect(said[1]).toMatch(/^resources\/patches\.json:1 unknown type `txt`/)
})
