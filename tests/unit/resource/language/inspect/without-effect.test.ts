import { describe, expect, it } from 'vitest'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { inspectReferences } from '@/resource/language/inspect/references'

const fields: Record<string, Field> = {
  name: { type: 'text', required: true, sort: true },
  seats: { type: 'number' },
  bought_on: { type: 'date' },
  status: { type: 'enum', values: { active: 'green', retired: 'gray' } },
  seen_at: { type: 'datetime', readonly: true },
  file: { type: 'json' },
}
const devices: Definition = { name: 'devices', table: 'machines', fields: { name: { type: 'text' } } }
const agents: Definition = { name: 'agents', table: 'printers', fields: { name: { type: 'text' } } }
const find = (name: string) => [devices, agents].find((each) => each.name === name) ?? null

function check(more: object, own: Record<string, object> = {}): string[] {
  const definition = { name: 'printers', ...more, fields: { ...fields, ...own } } as Definition
  return inspectReferences(definition, { find, names: ['devices', 'agents'] }).map(
    ({ pointer, message, hint }) => `${pointer} ${message} | ${hint}`,
  )
}
const field = (options: object) => check({}, { own: options })
const action = (options: object) => check({ actions: { retire: { on: ['row'], rpc: 'retire', ...options } } })

type Case = [what: string, wrong: () => string[], said: RegExp, right: () => string[]]

it.each<Case>([
  [
    'an enum without values',
    () => field({ type: 'enum', values: {} }),
    /\/fields\/own\/values there are no values/,
    () => field({ type: 'enum', values: { a: 'red' } }),
  ],
  [
    'a need of a value that is not there',
    () => field({ type: 'enum', values: { open: 'red' }, needs: { opne: { object: 'a', verb: 'b' } } }),
    /needs\/opne no value `opne` \| Did you mean `open`/,
    () => field({ type: 'enum', values: { open: 'red' }, needs: { open: { object: 'a', verb: 'b' } } }),
  ],
  [
    'a suggestion twice',
    () => field({ type: 'tags', suggestions: ['a', 'b', 'a'] }),
    /suggestion `a` is listed twice/,
    () => field({ type: 'tags', suggestions: ['a', 'b'] }),
  ],
  [
    'a suggestion that the field refuses',
    () => field({ type: 'text', max_length: 3, suggestions: ['abcd'] }),
    /suggestion `abcd` breaks the rules/,
    () => field({ type: 'text', max_length: 4, suggestions: ['abcd'] }),
  ],
  [
    'a closed list of nothing',
    () => field({ type: 'tags', closed: true }),
    /closed only suggestions may be chosen, and the list is empty/,
    () => field({ type: 'tags', closed: true, suggestions: ['a'] }),
  ],
  [
    'thresholds the wrong way round',
    () => field({ type: 'percent', thresholds: { warning: 90, critical: 80 } }),
    /`warning` 90 is not below `critical` 80/,
    () => field({ type: 'percent', thresholds: { warning: 80, critical: 90 } }),
  ],
  [
    'a threshold beyond a share',
    () => field({ type: 'percent', thresholds: { warning: 80, critical: 900 } }),
    /thresholds\/critical `900` is not a share/,
    () => field({ type: 'percent', thresholds: { warning: 80, critical: 100 } }),
  ],
  [
    'an unknown currency',
    () => field({ type: 'money', currency: 'TYR' }),
    /`TYR` is no ISO code of a currency/,
    () => field({ type: 'money', currency: 'TRY' }),
  ],
  [
    'an unknown language',
    () => field({ type: 'code', language: 'pyton' }),
    /no highlighting for `pyton` \| Did you mean `python`/,
    () => field({ type: 'code', language: 'PowerShell' }),
  ],
  [
    'a default with more decimals than the field',
    () => field({ type: 'number', decimals: 1, default: 0.25 }),
    /`default` 0.25 has more decimals than 1/,
    () => field({ type: 'number', decimals: 2, default: 0.25 }),
  ],
  [
    'a link to fields that are not there',
    () => field({ type: 'text', record: { table: 'nmae', id: 'name' } }),
    /record\/table no field `nmae` \| Did you mean `name`/,
    () => field({ type: 'text', record: { table: 'name', id: 'name' } }),
  ],
  [
    'a table between with one end',
    () => field({ type: 'many-to-many', to: 'devices', through: 'x', near: 'a_id', far: 'a_id' }),
    /near `near` and `far` are the same column/,
    () => field({ type: 'many-to-many', to: 'devices', through: 'x', near: 'a_id', far: 'b_id' }),
  ],
  [
    'a variable that is no start for the field',
    () => field({ type: 'number', default: '$now' }),
    /default `\$now` is a moment and cannot be compared with `number`/,
    () => field({ type: 'date', default: '$now' }),
  ],
  [
    'a mistake in an inner table',
    () => field({ type: 'rows', fields: { size: { type: 'number', min: 2, max: 1 } } }),
    /\/fields\/own\/fields\/size\/min `min` 2 is above/,
    () => field({ type: 'rows', fields: { size: { type: 'number', min: 1, max: 2 } } }),
  ],
  [
    'a key without effect in an inner table',
    () => field({ type: 'rows', fields: { size: { type: 'number', sort: true } } }),
    /fields\/size\/sort `sort` has no effect here/,
    () => field({ type: 'rows', fields: { size: { type: 'number' } } }),
  ],
  [
    'a row to start with that has another field',
    () => field({ type: 'rows', default: [{ sise: 1 }], fields: { size: { type: 'number' } } }),
    /default\/0\/sise no field `sise` \| Did you mean `size`/,
    () => field({ type: 'rows', default: [{ size: 1 }], fields: { size: { type: 'number' } } }),
  ],
  [
    'once and read-only',
    () => field({ type: 'text', once: true, readonly: true }),
    /once the field is `readonly`/,
    () => field({ type: 'text', once: true }),
  ],
  [
    'a sort by a document',
    () => field({ type: 'json', sort: true }),
    /a list cannot sort by a field of kind `json`/,
    () => field({ type: 'number', sort: true }),
  ],
  [
    'a title of braces that are no field',
    () => check({ title: '{{name}}' }),
    /\/title the title would show a brace/,
    () => check({ title: '{name}' }),
  ],
  [
    'one title for all',
    () => check({ title: 'Printer' }),
    /every record would be titled `Printer`/,
    () => check({ title: 'Printer {name}' }),
  ],
  [
    'a title of a document',
    () => check({ title: '{file}' }),
    /a title cannot show `file`/,
    () => check({ title: '{seats}' }),
  ],
  [
    'a group of a tab',
    () => check({ group: 'office', parent: 'devices' }),
    /\/group only entries of the section `added`/,
    () => check({ group: 'office' }),
  ],
  [
    'a section of a tab',
    () => check({ parent: 'devices', section: 'main', icon: 'laptop' }),
    /\/section a tab has no section of the menu/,
    () => check({ section: 'main', icon: 'laptop' }),
  ],
  [
    'a screen without a form',
    () => check({ form: false, create: true }),
    /\/create `create` needs a form/,
    () => check({ form: false, create: false }),
  ],
  [
    'a row that opens no page',
    () => check({ list: { opens: 'agent' } }),
    /opens no resource with a record page has the route `agent` \| Did you mean `agents`/,
    () => check({ list: { opens: 'agents' } }),
  ],
  [
    'a row that opens a record of another table',
    () => check({ list: { opens: 'devices' } }),
    /`devices` reads `machines`, not `printers`/,
    () => check({ list: { opens: 'agents' } }),
  ],
  [
    'a list filtered by a record',
    () => check({ list: { filter: { name: { _eq: '$record.status' } } } }),
    /`\$record.status` has no meaning here/,
    () => check({ list: { filter: { name: { _eq: 'a' } } } }),
  ],
  [
    'a comparison with nothing',
    () => check({ list: { filter: { name: { _in: [] } } } }),
    /`_in` has no values/,
    () => check({ list: { filter: { name: { _in: ['a'] } } } }),
  ],
  [
    'a sort by one field twice',
    () => check({ list: { sort: 'name,-name' } }),
    /sorts by `name` twice/,
    () => check({ list: { sort: 'name' } }),
  ],
  [
    'an empty section',
    () => check({ show: { sections: { main: ['name'], more: [] } } }),
    /sections\/more the section `more` is empty/,
    () => check({ show: { sections: { main: ['name'], more: ['seats'] } } }),
  ],
  [
    'a form of what nobody edits',
    () => check({ form: { sections: { main: ['name seen_at'] } } }),
    /the form does not show `seen_at`/,
    () => check({ form: { sections: { main: ['name seats'] } } }),
  ],
  [
    'a form of a component, with sections',
    () => check({ form: { component: 'a/b', sections: { main: ['name'] } } }),
    /\/form\/sections the component of the form/,
    () => check({ form: { component: 'a/b' } }),
  ],
  [
    'a tab of a component, with sections',
    () => check({ show: { tabs: { more: { component: 'a/b', sections: { main: ['name'] } } } } }),
    /tabs\/more\/sections the component of the tab/,
    () => check({ show: { tabs: { more: { component: 'a/b' } } } }),
  ],
  [
    'an empty text',
    () => check({ label: { en: ['Printer', ' '], tr: ['Yazıcı', 'Yazıcılar'] } }),
    /\/label\/en the text is empty/,
    () => check({ label: { en: ['Printer', 'Printers'], tr: ['Yazıcı', 'Yazıcılar'] } }),
  ],
])('%s is wrong, and without it the definition is right', (_what, wrong, said, right) => {
  expect(wrong().join('\n')).toMatch(said)
  expect(right()).toEqual([])
})

describe('an action', () => {
  it.each<[string, object, RegExp, object]>([
    ['a variable', { args: { ids: '$ids', who: '$user' } }, /args\/who `\$user` would be sent as/, {}],
    [
      'no records',
      { args: { status: 'a' } },
      /\/args no argument takes the records/,
      { args: { id: '$id' } },
    ],
    ['both', { args: { id: '$id', ids: '$ids' } }, /not both/, { args: { ids: '$ids', status: 'a' } }],
    [
      'a parameter twice',
      { args: { ids: '$ids', note: 'a' }, params: { note: { type: 'text' } } },
      /params\/note `note` is an argument too/,
      { args: { ids: '$ids' }, params: { note: { type: 'text' } } },
    ],
    ['a place twice', { on: ['row', 'row'] }, /on a place is listed twice/, { on: ['row', 'bulk'] }],
    [
      'params beside a component',
      { rpc: undefined, component: 'a/b', params: { note: { type: 'text' } } },
      /params `params` has no effect beside `component`/,
      { rpc: undefined, component: 'a/b' },
    ],
    [
      'a mistake in its dialog',
      { params: { note: { type: 'text', max_length: 3, default: 'abcd' } } },
      /actions\/retire\/params\/note\/default the default/,
      { params: { note: { type: 'text', max_length: 4, default: 'abcd' } } },
    ],
    [
      'a target that is not there',
      { params: { to: { type: 'relation', to: 'devces' } } },
      /params\/to\/to no resource `devces` \| Did you mean `devices`/,
      { params: { to: { type: 'relation', to: 'devices' } } },
    ],
  ])('with %s is wrong', (_what, wrong, said, right) => {
    expect(action(wrong).join('\n')).toMatch(said)
    expect(action(right)).toEqual([])
  })
})
