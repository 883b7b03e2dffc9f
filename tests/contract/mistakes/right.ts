import { anotherResource } from './another'
import type { Patch, Right } from './mistake'
import { RIGHT_DEFINITIONS } from './right-definitions'

const PRINTERS = 'resources/printers.json'
const replace = (what: string, file: string, ...pairs: [string, string][]): Right => ({ what, replace: { [file]: pairs } })
const printers = (what: string, patch: Patch, more: Partial<Right> = {}): Right => ({ what, printers: patch, ...more })
const action = (what: string, value: Patch): Right => printers(what, { actions: { ping: value } })
const both = (value: Patch) => ({ en: { printers: value }, tr: { printers: value } })

/** Makes another function of that name, with these parameters. */
const another = (signature: string): [up: string, down: string] => [
  `create function public.${signature} returns integer language sql volatile set search_path = '' as 'select 1'; grant execute on function public.${signature.replace(/ default \w+/g, '')} to authenticated`,
  `drop function public.${signature.replace(/ default \w+/g, '')}`,
]

/** Changes of the base and of the files around it. */
const CHANGES: Right[] = [
  replace('A byte order mark, as Notepad writes it.', PRINTERS, ['{', '\uFEFF{']),
  replace('Tabs in place of spaces.', PRINTERS, ['  "icon"', '\t\t"icon"']),
  replace('Letters as Unicode escapes.', PRINTERS, ['"printer"', String.raw`"\u0070rinter"`]),
  replace('Lines that end as on Windows.', PRINTERS, ['{\n  "name"', '{\r\n  "name"'], ['"printers",\n', '"printers",\r\n']),
  replace('Two keys on a line.', PRINTERS, ['"icon": "printer",\n', '"icon": "printer",']),
  replace('No line break at the end.', PRINTERS, ['  }\n}\n', '  }\n}']),
  { what: 'Notes beside the definitions.', files: { 'resources/NOTES.md': '# Notes\n', 'resources/.printers.json.swp': 'x' } },
  printers('The schema by its whole address.', { $schema: 'https://example.com/konsol/resource.schema.json' }),
  { what: 'One more resource over the same table.', ...anotherResource('shelves') },
  { what: 'A list whose rows open the other resource over the table.', ...anotherResource('shelves', { list: { sort: 'name', search: false, opens: 'rooms' }, show: false }) },
  {
    what: 'A view that reads as its caller.',
    sql: ['create view public.room_names with (security_invoker = true) as select id, company_id, name, name_key, floor, version from public.rooms; grant select on public.room_names to authenticated', 'drop view public.room_names'],
    ...anotherResource('shelves', { table: 'room_names', form: false, delete: false, live: ['rooms'] }),
  },
  {
    what: 'A column that the database computes.',
    sql: ['alter table public.printers add column twice integer generated always as (pages * 2) stored', 'alter table public.printers drop column twice'],
    ...both({ fields: { twice: 'Twice' } }),
    printers: { fields: { twice: { type: 'computed', as: 'number' } } },
  },
  printers('A field of the record’s company.', { fields: { seen_at: { from: { table: 'companies', column: 'created_at' } } } }),
  printers('A component for one input.', { fields: { model: { component: 'printers/model-field' } } }, { files: { 'src/pages/printers/model-field.tsx': 'export function ModelField() {\n  return null\n}\n' } }),
  printers('A component around the list, which keeps the columns.', { list: { component: 'agents/agents-screen' } }),
  printers('A dialog of its own for a creation, and a tab for the new record.', { form: { after_create: 'ping', after_create_tab: 'trays' } }),
  printers('No record is created from the related list.', { show: { related: [{ resource: 'print_jobs', by: 'printer_id', create: false }] } }),
  printers('A list that shows five of thirty fields.', { list: { columns: ['model', 'serial', 'company_id', 'seen_at', 'tags'] } }),
  printers('A field in the summary and in a section.', { show: { summary: ['status', 'model'] } }),
  action('An action that asks, though it removes nothing.', { args: { ids: '$ids' }, confirm: true }),
  { ...action('An action by the id of one record, over many rows too.', { args: { id: '$id' } }), sql: another('ping_printers(id uuid)') },
  { ...action('Fixed arguments of every kind.', { args: { ids: '$ids', text: 'x', number: 0, yes: false, nothing: null } }), sql: another('ping_printers(ids uuid[], text text, number int, yes boolean, nothing text)') },
  action('A dangerous action that does not ask.', { danger: true, confirm: false }),
  action('On the record’s page alone, with the permission of another object.', { on: ['record'], policy: { object: 'rooms', verb: 'edit' } }),
  action('For records of somebody else, or of nobody.', { when: { _or: [{ owner_id: { _null: true } }, { owner_id: { _neq: '$user' } }] } }),
  printers('An action that a component draws.', { actions: { ping: { rpc: undefined, component: 'procedures/run-procedure-dialog' } } }),
  printers('A parameter with a check and a default.', { actions: { retire: { params: { reason: { default: 'Old', check: { _neq: 'x' } } } } } }),
  printers('Choices that are words of JavaScript.', { actions: { retire: { params: { reason: { type: 'enum', max_length: undefined, values: { true: 'green', null: 'gray', constructor: 'blue' } } } } } }, both({ values: { reason: { true: 'Yes', null: 'Nothing', constructor: 'Builder' } } })),
  { ...printers('A parameter called as a word of every object.', { actions: { retire: { params: { constructor: { type: 'text' } } } } }, both({ fields: { constructor: 'Builder' } })), sql: another('retire_printers(ids uuid[], reason text, constructor text default null)') },
  { what: 'Texts that are the same in both languages.', ...both({ fields: { model: 'Model' } }) },
  { what: 'A help text and a question, in both languages.', ...both({ help: { toner: 'As reported.' }, confirm: { retire: 'It leaves the lists.' }, empty: 'Nothing yet.' }) },
  { what: 'A placeholder in English alone.', en: { printers: { done: { ping_one: '{{count}} pinged', ping_other: '{{count}} pinged' } } }, tr: { printers: { done: { ping_one: 'Yoklandı', ping_other: 'Yoklandı' } } } },
  { what: 'Texts with quotes, emoji and a count.', ...both({ done: { ping_one: '“Ping” ✅', ping_other: '{{count}} × “ping” ✅' } }) },
  { what: 'Comments and blank lines between permission lines.', append: { 'policies/standard.csv': '\n# Printers of the branch, read by everybody.\n\np, Standard, printers, list, allow' } },
  { what: 'Permission lines without and with many spaces.', append: { 'policies/standard.csv': 'p,Standard,printers,list,allow\np,  Standard,  rooms,  list,  allow  ' } },
  { what: 'A deny of all writing for one object.', append: { 'policies/standard.csv': 'p, Standard, suppliers, write, deny' } },
  { what: 'A role inherits from another.', append: { 'policies/teknik.csv': 'g, Teknik, Standard' } },
  { what: 'Permission lines that end as on Windows.', append: { 'policies/standard.csv': 'p, Standard, printers, list, allow\r' } },
]

export const RIGHT: readonly Right[] = [...RIGHT_DEFINITIONS, ...CHANGES]
