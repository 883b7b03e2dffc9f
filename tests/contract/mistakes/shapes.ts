import type { Mistake } from './mistake'

const printers = (value: Record<string, unknown>, at: Mistake['at']) => ({ printers: value, at })

/** Values of another shape than the key takes, and names that every JavaScript object has. */
export const SHAPES: Mistake[] = [
  { sort: 'field-null', what: 'A field is null.', ...printers({ fields: { mac: null } }, '"mac": null'), about: 'mac' },
  { sort: 'list-true', what: 'The list is switched on by true.', ...printers({ list: true }, '"list": true'), about: 'list' },
  { sort: 'views-as-list', what: 'The views as a list.', ...printers({ list: { views: [{ name: 'mine', filter: {} }] } }, '"views": ['), about: 'views' },
  { sort: 'sections-as-list', what: 'The sections as a list of fields.', ...printers({ form: { sections: ['serial', 'model'] } }, '"form" > "sections": ['), about: 'sections' },
  { sort: 'columns-as-text', what: 'The columns as one text.', ...printers({ list: { columns: 'serial, model' } }, '"columns": "serial, model"'), about: 'columns' },
  { sort: 'actions-as-list', what: 'The actions as a list.', ...printers({ actions: ['ping'] }, '"actions": ['), about: 'actions' },
  { sort: 'source-as-path', what: 'A source as table and column with a dot.', ...printers({ fields: { seen_at: { from: 'printer_presence.seen_at' } } }, '"from": "printer_presence.seen_at"'), about: 'from' },
  { sort: 'target-as-list', what: 'A relation to one of several resources.', ...printers({ fields: { room_id: { to: ['rooms', 'suppliers'] } } }, '"to": ['), about: 'to' },
  { sort: 'when-as-text', what: 'A condition as an expression.', ...printers({ fields: { reason: { when: "status == 'retired'" } } }, `"when": "status`), about: 'when' },
  { sort: 'live-as-interval', what: 'live as a number of seconds.', ...printers({ live: 30 }, '"live": 30'), about: 'live' },
  { sort: 'default-list-of-one', what: 'A default in a list.', ...printers({ fields: { status: { default: ['active'] } } }, ['"status": { > "default"', '"default": [']), about: 'default' },
  { sort: 'show-as-list', what: 'The record page as a list of fields.', ...printers({ show: ['serial', 'model'] }, '"show": ['), about: 'show' },
  { sort: 'object-word-as-type', what: 'A type that is a word of every object.', ...printers({ fields: { mac: { type: 'constructor' } } }, '"type": "constructor"'), about: 'constructor' },
  { sort: 'object-word-as-column', what: 'A column of a missing field that every object has.', ...printers({ list: { columns: ['serial', 'constructor'] } }, '"constructor"'), about: 'constructor' },
  { sort: 'object-word-as-target', what: 'A relation to a word of every object.', ...printers({ fields: { supplier_id: { to: 'constructor' } } }, '"to": "constructor"'), about: 'constructor' },
  { sort: 'object-word-as-filter', what: 'A view on a missing field that every object has.', ...printers({ list: { views: { mine: { filter: { constructor: { _eq: 'x' } } } } } }, '"constructor"'), about: 'constructor' },
  { sort: 'object-word-as-default', what: 'The default is a word of every object, not one of the values.', ...printers({ fields: { status: { default: 'constructor' } } }, '"default": "constructor"'), about: 'constructor' },
  { sort: 'object-word-as-action', what: 'A word of every object follows the creation.', ...printers({ form: { after_create: 'constructor' } }, '"after_create"'), about: 'constructor' },
]
