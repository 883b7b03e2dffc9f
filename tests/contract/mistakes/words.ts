import type { Mistake } from './mistake'

const EN = 'locales/en/resources/printers.json'
const TR = 'locales/tr/resources/printers.json'
const SHARED = 'locales/en/resources/_shared.json'
const printers = (value: unknown) => ({ printers: value })
const both = (value: unknown) => ({ en: printers(value), tr: printers(value) })

export const WORDS: Mistake[] = [
  { sort: 'text-missing', what: 'The Turkish name of a field is missing.', tr: printers({ fields: { toner: undefined } }), at: '"toner": {', about: 'toner' },
  { sort: 'text-missing-both', what: 'A field was added to the definition without a text.', en: printers({ fields: { toner: undefined } }), tr: printers({ fields: { toner: undefined } }), at: '"toner": {', about: 'toner' },
  { sort: 'value-missing', what: 'A choice has no English text.', en: printers({ values: { status: { repair: undefined } } }), at: '"repair"', about: 'repair' },
  { sort: 'view-missing', what: 'A view has no Turkish text.', tr: printers({ views: { mine: undefined } }), at: '"mine"', about: 'mine' },
  { sort: 'noun-missing', what: 'The plural of the resource is missing.', tr: printers({ many: undefined }), at: '"name"', about: 'many' },
  { sort: 'resource-missing', what: 'A resource has no file of Turkish texts.', tr: { printers: undefined }, at: '"name"', about: TR },
  { sort: 'resource-empty', what: 'A file of texts is empty.', files: { [EN]: '' }, in: EN, at: '', about: 'the file is empty' },
  { sort: 'resource-no-object', what: 'A file of texts is a list.', files: { [EN]: '["Printer", "Printers"]\n' }, in: EN, at: '', about: 'no object of texts' },
  { sort: 'resource-inside-its-name', what: 'The name of the resource is around its texts.', files: { [EN]: '{\n  "printers": {\n    "one": "Printer",\n    "many": "Printers"\n  }\n}\n' }, in: EN, at: '"printers": {', about: 'top level' },
  { sort: 'resource-in-other-file', what: 'The texts of one resource are in the file of another.', en: { printers: { rooms: { empty: 'No rooms yet.' } } }, in: EN, at: '"rooms": {', about: 'locales/en/resources/rooms.json' },
  { sort: 'shared-in-other-file', what: 'The name of a role is in the file of a resource.', en: { printers: { _shared: { values: { Auditor: 'Auditor' } } } }, in: EN, at: '"_shared": {', about: SHARED },
  { sort: 'resource-in-shared-file', what: 'The texts of a resource are in the file of all resources.', en: { _shared: { printers: { empty: 'No printers yet.' } } }, in: SHARED, at: '"printers": {', about: EN },
  { sort: 'shared-missing', what: 'The file of the texts of all resources was deleted.', en: { _shared: undefined }, in: SHARED, at: '', about: 'version control' },
  { sort: 'words-in-one-file', what: 'The texts of all resources are in one file.', files: { 'locales/en/resources.json': '{ "printers": { "one": "Printer", "many": "Printers" } }\n' }, in: 'locales/en/resources.json', at: '', about: 'locales/en/resources/<resource>.json' },
  { sort: 'words-file-ending', what: 'A file of texts ends in .jsonc.', files: { 'locales/tr/resources/rooms.jsonc': '{}\n' }, in: 'locales/tr/resources/rooms.jsonc', at: '', about: 'locales/tr/resources/rooms.json' },
  { sort: 'words-in-folder', what: 'A file of texts is in a folder of its own.', files: { 'locales/tr/resources/old/rooms.json': '{}\n' }, in: 'locales/tr/resources/old/rooms.json', at: '', about: 'nobody reads texts in the folder `old`' },
  { sort: 'orphan-field', what: 'A text of a field that is gone.', ...both({ fields: { paint: 'Paint' } }), in: EN, at: '"paint"', about: 'paint' },
  { sort: 'orphan-value', what: 'A text of a choice that is gone.', ...both({ values: { status: { lost: 'Lost' } } }), in: TR, at: '"lost"', about: 'lost' },
  { sort: 'orphan-view', what: 'A text of a view that is gone.', ...both({ views: { broken: 'Broken' } }), in: EN, at: '"broken"', about: 'broken' },
  { sort: 'orphan-action', what: 'A question for an action that does not exist.', ...both({ confirm: { scrap: 'It is gone for good.' } }), in: EN, at: '"scrap"', about: 'scrap' },
  { sort: 'orphan-resource', what: 'Texts of a resource in the singular.', en: { printer: { one: 'Printer', many: 'Printers' } }, tr: { printer: { one: 'Yazıcı', many: 'Yazıcılar' } }, in: 'locales/en/resources/printer.json', at: '', about: EN },
  { sort: 'orphan-resource-far', what: 'Texts of a resource that is gone.', en: { submarines: { one: 'Submarine', many: 'Submarines' } }, tr: { submarines: { one: 'Denizaltı', many: 'Denizaltılar' } }, in: 'locales/en/resources/submarines.json', at: '', about: 'submarines' },
  { sort: 'group-misspelled', what: 'A misspelled group of texts.', ...both({ filds: { serial: 'Serial' } }), in: EN, at: '"filds"', about: ['filds', 'fields'] },
  { sort: 'one-language-more', what: 'A help text in English alone.', en: printers({ help: { toner: 'As the printer reports it.' } }), in: TR, at: '', about: 'toner' },
  { sort: 'empty-text', what: 'An empty text.', tr: printers({ fields: { toner: '' } }), at: '"toner": {', about: ['toner', 'empty'] },
  { sort: 'text-as-object', what: 'An object in place of a text.', en: printers({ fields: { toner: { label: 'Toner' } } }), in: EN, at: '"toner"', about: 'toner' },
  {
    sort: 'placeholder-differs',
    what: 'The Turkish text has a misspelled placeholder.',
    en: printers({ done: { ping_one: 'Printer pinged', ping_other: '{{count}} printers pinged' } }),
    tr: printers({ done: { ping_one: 'Yazıcı yoklandı', ping_other: '{{cuont}} yazıcı yoklandı' } }),
    in: TR,
    at: '"ping_other"',
    about: ['cuont', 'count'],
  },
  { sort: 'plural-form-missing', what: 'A result has a text for one and none for many.', ...both({ done: { ping_one: 'Printer pinged', ping_other: undefined } }), in: EN, at: ['"done"', '"ping_one"'], about: 'ping_other' },
  { sort: 'words-syntax', what: 'A trailing comma in the texts.', replace: { [EN]: [['"one": "printers one",', '"one": "printers one",,']] }, in: EN, at: '"one": "printers one"', about: 'comma' },
  { sort: 'words-duplicate-key', what: 'A text twice; the second wins silently.', replace: { [TR]: [['"one": "printers one",', '"one": "Yazıcı",\n  "one": "printers one",']] }, in: TR, at: ['"one": "Yazıcı"', '"one": "printers one"'], about: 'one' },
  { sort: 'label-said-twice', what: 'A label in the definition and another in the texts.', printers: { fields: { toner: { label: { en: 'Ink', tr: 'Mürekkep' } } } }, at: ['"toner": { > "label"'], about: ['label', 'toner'] },
  {
    sort: 'label-without-turkish',
    what: 'A field’s label in English alone, with no Turkish text anywhere.',
    printers: { fields: { toner: { label: { en: 'Ink' } } } },
    en: printers({ fields: { toner: undefined } }),
    tr: printers({ fields: { toner: undefined } }),
    at: ['"toner": { > "label"', '"toner": {'],
    about: 'toner',
  },
  { sort: 'tab-text-missing', what: 'A tab without a text.', en: printers({ tabs: undefined }), tr: printers({ tabs: undefined }), at: '"tabs" > "trays"', about: 'trays' },
  { sort: 'closed-tag-missing', what: 'A closed tag without a Turkish text.', tr: printers({ values: { features: { duplex: undefined } } }), at: ['"features": {', '"features": { > "suggestions"', '"features": { > "duplex"'], about: 'duplex' },
]
