import type { Definition } from '@/resource/language/definition.generated'

const devices = { name: 'devices', fields: { name: { type: 'text' } } } as Definition

/** A definition with something of everything that a migration has to say. */
export const printers: Definition = {
  name: 'printers',
  fields: {
    serial: {
      type: 'text',
      required: true,
      max_length: 80,
      search: true,
      sort: 'serial_key',
      pattern: '^[A-Z0-9-]+$',
    },
    model: { type: 'text', search: true },
    status: { type: 'enum', values: { active: 'green', retired: 'gray' }, default: 'active', filter: true },
    device_id: { type: 'relation', to: 'devices', filter: true },
    owner_id: { type: 'user' },
    bought_on: { type: 'date', filter: true },
    warranty: { type: 'date', check: { _gte: '$record.bought_on' } },
    reason: { type: 'textarea', required: true, when: { status: { _eq: 'retired' } } },
    pages: { type: 'number', min: 0, max: 1000, sort: true },
    cost: { type: 'money', currency: 'TRY', guard: { write: { object: 'printers', verb: 'approve' } } },
    tags: { type: 'tags' },
    seen_at: { type: 'datetime', readonly: true },
    groups: {
      type: 'many-to-many',
      to: 'devices',
      through: 'printer_devices',
      near: 'printer_id',
      far: 'device_id',
    },
    created_at: { type: 'datetime', readonly: true, sort: true },
  },
}

export const find = (name: string): Definition | null =>
  name === 'devices' ? devices : name === 'printers' ? printers : null
