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

/** The linter's findings in the tree, but for the database, which is empty here. */
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
  const file = (language: string, name: string) => `locales/${language}/resources/${name}.json`
  const both = (name: string, edit: (value: Json) => void) => {
    for (const language of ['en', 'tr']) change(file(language, name), edit)
  }
  const write = (path: string, text: string) => writeFileSync(join(tree, path), text)

  const wrong: [what: string, name: string, edit: (words: Json) => void, text: string, said: string][] = [
    [
      'of a field',
      'devices',
      ({ fields }) => Object.assign(fields ?? {}, { statsu: 'a' }),
      '"statsu"',
      'nothing is called `fields.statsu`, so no screen shows this text | Did you mean `status`?',
    ],
    [
      'of a value',
      'devices',
      ({ values }) => Object.assign(values?.status ?? {}, { onlin: 'a' }),
      '"onlin"',
      'nothing is called `values.status.onlin`, so no screen shows this text | Did you mean `online`?',
    ],
    [
      'of a kind of text',
      'devices',
      (words) => Object.assign(words, { feilds: { name: 'a' } }),
      '"feilds"',
      'nothing is called `feilds`, so no screen shows this text | Did you mean `fields`?',
    ],
    [
      'of a view',
      'devices',
      ({ views }) => Object.assign(views ?? {}, { gone_missing: 'a' }),
      '"gone_missing"',
      'nothing is called `views.gone_missing`, so no screen shows this text | Remove it.',
    ],
    [
      'of an action',
      'patches',
      ({ done }) => Object.assign(done ?? {}, { aprove_one: 'a' }),
      '"aprove_one"',
      'nothing is called `done.aprove_one`, so no screen shows this text | Did you mean `approve_one`?',
    ],
    [
      'of a group',
      '_shared',
      (words) => Object.assign(words, { groups: { office: 'a' } }),
      '"office"',
      'nothing is called `groups.office`, so no screen shows this text | Remove it.',
    ],
    [
      'of another resource',
      'monitors',
      (words) => Object.assign(words, { devices: { empty: 'a' } }),
      '"devices": {',
      'the texts of `devices` are in the file of `monitors`, so no screen shows them | Move them to <file>.',
    ],
  ]

  it('are named by their line where nothing is called so', () => {
    for (const [, name, edit] of wrong) both(name, edit)
    for (const language of ['en', 'tr']) write(file(language, 'devics'), '{ "one": "a" }')
    const expected = ['en', 'tr'].flatMap((language) => [
      ...wrong.map(
        ([, name, , text, said]) =>
          `${file(language, name)}:${line(file(language, name), text)} ${said.replace('<file>', file(language, 'devices'))}`,
      ),
      `${file(language, 'devics')}:1 no resource is called \`devics\`, so no screen shows these texts | Did you mean \`devices\`? Move the texts to ${file(language, 'devices')}.`,
    ])
    expect(found().sort()).toEqual(expected.sort())
  })

  it('are in both languages, and say something', () => {
    change(file('en', 'devices'), (words) => {
      Object.assign(words.help ?? {}, { os: 'a' })
      Object.assign(words.columns ?? {}, { 'status.x': 5 })
    })
    change(file('en', 'groups'), (words) => Object.assign(words, { empty: '' }))
    expect(found().sort()).toEqual([
      expect.stringContaining('nothing is called `columns.status.x`'),
      `${file('en', 'groups')}:${line(file('en', 'groups'), '"empty": ""')} the text of \`empty\` is empty`,
      expect.stringMatching(
        new RegExp(`^${file('tr', 'devices')}:\\d+ the text \`help.os\` is not in Turkish \\| Add it here`),
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
    expect(said).toContain(
      'no English word for the group `office` | Add `groups.office` to locales/en/resources/_shared.json.',
    )
    expect(said).toMatch(/the text is not in Turkish \| Add `"tr"`/)
    both('_shared', (words) => Object.assign(words, { groups: { office: 'Office' } }))
    change('resources/monitors.json', (monitors) => delete monitors.fields?.name?.help)
    expect(found()).toEqual([])
  })

  it('are missed by the language that has no file, and the command that writes it is named', () => {
    rmSync(join(tree, file('tr', 'tags')))
    const at = line('resources/tags.json', '"name": "tags"')
    expect(found().sort()).toEqual([
      `${file('tr', 'tags')}:1 the text \`empty\` is not in Turkish | Add it in a new file of this name, or remove it from the other language.`,
      `resources/tags.json:${at} no Turkish texts for \`tags\` | Add ${file('tr', 'tags')}: \`npm run resource migrate tags\` writes it.`,
    ])
  })

  it('that cannot be read are reported alone, whatever their resource lacks', () => {
    write(file('en', 'tags'), '{ "one": "Tag",')
    write(file('tr', 'jobs'), '{\n  "jobs": { "one": "İş" }\n}')
    write(file('en', 'devices'), '[]')
    const name = (path: string) => path.split(' ')[0]
    expect(found().map(name).sort()).toEqual([
      `${file('en', 'devices')}:1`,
      `${file('en', 'tags')}:1`,
      `${file('tr', 'jobs')}:2`,
    ])
    rmSync(join(tree, file('en', '_shared')))
    expect(found()).toContain(
      `${file('en', '_shared')}:1 there is no such file, and all resources take texts from it | Take it back from version control.`,
    )
    expect(found()).toHaveLength(4)
  })

  it('are not read from the one file that they had before', () => {
    write('locales/en/resources.json', '{ "tags": { "one": "Tag" } }')
    expect(found()).toEqual([
      'locales/en/resources.json:1 nobody reads this file: each resource has a file of its own | Move the texts of each resource to locales/en/resources/<resource>.json, without its name around them, and delete this file.',
    ])
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
        Object.assign(fields?.category_id ?? {}, { guard: { write: { object: 'tickets', verb: 'asign' } } }),
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
