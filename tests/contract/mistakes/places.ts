import { anotherResource } from './another'
import type { Mistake } from './mistake'

const own = (value: Record<string, unknown>) => ({ printers: value, at: `\n  "${Object.keys(value)[0]}"`.trim() })

export const PLACES: Mistake[] = [
  { sort: 'icon-unknown', what: 'An icon that is not offered.', ...own({ icon: 'print' }), about: 'printer' },
  { sort: 'icon-component-name', what: 'An icon as the library’s component is called.', ...own({ icon: 'PrinterOutlined' }), about: 'printer' },
  { sort: 'section-unknown', what: 'A part of the menu that does not exist.', ...own({ section: 'top' }), about: ['main', 'section'] },
  { sort: 'section-with-parent', what: 'A section beside a parent is ignored.', printers: { section: 'main', parent: 'rooms' }, at: ['"section"', '"parent"'], about: ['section', 'parent'] },
  { sort: 'position-zero', what: 'Positions counted from 0.', ...own({ position: 0 }), about: ['position', '1'] },
  { sort: 'position-without-entry', what: 'A position for a list that has no place in the menu.', printers: { section: 'none', position: 4 }, at: ['"position"', '"section"'], about: 'position' },
  { sort: 'parent-missing', what: 'A tab of a list that does not exist.', ...own({ parent: 'room' }), about: 'room' },
  { sort: 'parent-itself', what: 'A list is a tab of itself.', ...own({ parent: 'printers' }), about: ['itself', 'printers'] },
  { sort: 'parent-cycle', what: 'Two lists are tabs of each other.', printers: { parent: 'rooms' }, rooms: { parent: 'printers' }, at: '"parent"', about: ['rooms', 'each other'] },
  { sort: 'tab-of-a-tab', what: 'A list is a tab of a tab of a tab.', rooms: { parent: 'suppliers' }, printers: { parent: 'rooms' }, print_jobs: { section: undefined, parent: 'printers' }, in: 'resources/print_jobs.json', at: '"parent"', about: ['printers', 'tab'] },
  { sort: 'parent-without-list', what: 'A list is a tab of a resource without a list.', print_jobs: { section: undefined, parent: 'suppliers' }, suppliers: { list: false }, in: 'resources/print_jobs.json', at: '"parent"', about: ['suppliers', 'list'] },
  { sort: 'group-outside-added', what: 'A group in a section that has none.', printers: { section: 'main', group: 'assets' }, en: { _shared: { groups: { assets: 'Assets' } } }, tr: { _shared: { groups: { assets: 'Varlıklar' } } }, at: ['"group"', '"section"'], about: ['group', 'added'] },
  { sort: 'group-without-words', what: 'A group without a text.', ...own({ group: 'assets' }), at: ['"group"', ''], about: 'assets' },
  { sort: 'page-object-unknown', what: 'The pages need an object that no permission line can name.', ...own({ page_object: 'printer-desk' }), about: 'printer-desk' },
  { sort: 'page-object-itself', what: 'The second permission object is the resource itself.', ...own({ page_object: 'printers' }), about: ['page_object', 'printers'] },
  { sort: 'create-address-unused', what: 'The address of a create form that does not exist.', printers: { create: false, duplicate: false, import: false, create_below_list: true }, at: ['"create_below_list"', '"create": false'], about: ['create_below_list', 'create'] },
  { sort: 'live-missing-table', what: 'A live view of a table that does not exist.', printers: { live: ['printer_tables'] }, at: ['"live"', '"printer_tables"'], about: 'printer_tables' },
  { sort: 'live-of-table', what: 'A table follows other tables, which only a view does.', printers: { live: ['rooms'] }, at: ['"live"', '"live" > "rooms"'], about: ['view', 'live'] },
  { sort: 'license-spelling', what: 'The license with a capital.', ...own({ requires: 'Pro' }), about: 'pro' },
  { sort: 'license-without-line', what: 'Pro is required, but no permission line refuses access without it.', ...own({ requires: 'pro' }), about: ['without-pro', 'pro'] },
  { sort: 'label-one-language', what: 'A label in English alone.', ...anotherResource('shelves', { label: { en: ['Shelf', 'Shelves'] } }), in: 'resources/shelves.json', at: ['"label"', '"name"'], about: ['tr', 'Turkish'] },
  { sort: 'label-singular-only', what: 'A label without its plural.', ...anotherResource('shelves', { label: { en: ['Shelf'], tr: ['Raf', 'Raflar'] } }), in: 'resources/shelves.json', at: ['"en"', '"label"', '"Shelf"'], about: ['plural', '2', 'two'] },
  { sort: 'label-as-text', what: 'A label as one text.', ...anotherResource('shelves', { label: 'Shelves' }), in: 'resources/shelves.json', at: '"label"', about: 'label' },
  { sort: 'label-language', what: 'A label in a language that the console does not have.', ...anotherResource('shelves', { label: { en: ['Shelf', 'Shelves'], tr: ['Raf', 'Raflar'], de: ['Regal', 'Regale'] } }), in: 'resources/shelves.json', at: '"de"', about: 'de' },
  { sort: 'page-parent-missing', what: 'A hand-written page is a tab of a list that does not exist.', replace: { 'src/app/pages.tsx': [[`parent: 'rooms'`, `parent: 'room'`]] }, in: 'src/app/pages.tsx', at: `parent: 'room'`, about: 'room' },
]
