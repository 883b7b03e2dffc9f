import type { Change, Patch } from './mistake'

/** Adds a resource over the table of the rooms; nothing else in the tree knows it. */
export function anotherResource(name: string, more: Patch = {}): Change {
  const words = (text: string) => ({ en: text, tr: text })
  const definition = {
    name,
    table: 'rooms',
    icon: 'home',
    label: { en: ['Shelf', 'Shelves'], tr: ['Raf', 'Raflar'] },
    title: '{name}',
    fields: {
      name: { type: 'text', required: true, max_length: 80, sort: 'name_key', label: words('Name') },
      floor: { type: 'number', min: -5, max: 200, sort: true, label: words('Floor') },
    },
    list: { sort: 'name', search: false },
    ...more,
  }
  const verbs = ['list', 'show', 'create', 'edit', 'delete']
  return {
    files: { [`resources/${name}.json`]: `${JSON.stringify(definition, null, 2)}\n` },
    append: { 'policies/admin.csv': verbs.map((verb) => `p, Admin, ${name}, ${verb}, allow`).join('\n') },
  }
}
