import { expect } from '../test'
import { type Change, change, type Edited, erase, post, type Stage, taken } from './stage'

const text = { type: 'text', max_length: 80 }

/** A further field, and its column in the list. */
export const add = (field: string, value: Record<string, unknown>) => (definition: Edited) => {
  definition.fields[field] = value
  definition.list.columns.push(field)
}

/** A field gets these options, or loses those that are undefined. */
const RULES: Change[] = [
  { what: 'min', resource: 'trips', field: 'km', edit: { min: 1 }, breaks: { km: 0 }, keeps: { km: 1 } },
  {
    what: 'max',
    resource: 'trips',
    field: 'km',
    edit: { max: 900 },
    breaks: { km: 901 },
    keeps: { km: 900 },
  },
  { what: 'max loosened', resource: 'trips', field: 'km', edit: { max: 950 }, opens: { km: 950 } },
  {
    ...{ what: 'max_length', resource: 'trucks', field: 'model', edit: { max_length: 10 } },
    ...{ breaks: { model: 'x'.repeat(11) }, keeps: { model: 'x'.repeat(10) } },
  },
  {
    ...{ what: 'pattern and message', resource: 'trucks', field: 'plate' },
    edit: { pattern: '^[0-9]{2} [A-Z]+ [0-9]+$', message: { en: 'Write 34 AB 1', tr: '34 AB 1 yazın' } },
    ...{ breaks: { plate: 'zz' }, keeps: { plate: '06 XY 9' } },
  },
  {
    ...{ what: 'a closed list of tags', resource: 'trucks', field: 'labels' },
    ...{
      edit: { suggestions: ['a', 'b'], closed: true },
      breaks: { labels: ['c'] },
      keeps: { labels: ['b'] },
    },
  },
  {
    ...{ what: 'the syntax of an ip', resource: 'trucks', field: 'address', edit: { type: 'ip' } },
    ...{ breaks: { address: '10.0.0.256' }, keeps: { address: '2001:db8::1' } },
  },
  {
    ...{ what: 'the syntax of a mac', resource: 'trucks', field: 'radio', edit: { type: 'mac' } },
    ...{ breaks: { radio: '00:11:22:33:44:zz' }, keeps: { radio: '00:11:22:33:44:55' } },
  },
  {
    ...{ what: 'the syntax of an email', resource: 'trucks', field: 'contact', edit: { type: 'email' } },
    ...{ breaks: { contact: 'nobody' }, keeps: { contact: 'a@example.test' } },
  },
  {
    ...{
      what: 'optional → required, and not blank',
      resource: 'trucks',
      field: 'model',
      edit: { required: true },
    },
    ...{ breaks: { model: '   ' }, keeps: { model: ' x ' } },
  },
  {
    ...{ what: 'required → optional', resource: 'trucks', field: 'model', edit: { required: undefined } },
    opens: { model: null },
  },
  {
    ...{ what: 'optional → required again', resource: 'trucks', field: 'model', edit: { required: true } },
    ...{ breaks: { model: null }, code: '23502' },
  },
  {
    ...{ what: 'required with when', resource: 'trucks', field: 'reason', since: 'command' },
    edit: add('reason', {
      type: 'textarea',
      max_length: 90,
      required: true,
      when: { state: { _eq: 'repair' } },
    }),
    ...{ breaks: { state: 'repair' }, keeps: { state: 'repair', reason: 'worn' } },
  },
  {
    ...{ what: 'a check against another field', resource: 'trips', field: 'ends_on' },
    edit: { check: { _gte: '$record.starts_on' } },
    breaks: { starts_on: '2026-02-02', ends_on: '2026-02-01' },
    keeps: { starts_on: '2026-02-02', ends_on: '2026-02-02' },
  },
  {
    ...{ what: 'unique', resource: 'trucks', field: 'plate', edit: { unique: true } },
    ...{ breaks: { plate: '34 AB 1' }, code: '23505', keeps: { plate: '34 AB 2' } },
  },
  {
    ...{
      what: 'unique together',
      resource: 'trips',
      field: 'title',
      edit: (definition) => (definition.unique = [['truck_id', 'title']]),
    },
    ...{ breaks: { title: ' FİRST ' }, code: '23505', keeps: { title: 'Second' } },
  },
  {
    ...{
      what: 'not unique together',
      resource: 'trips',
      field: 'title',
      edit: (definition) => (definition.unique = undefined),
    },
    opens: { title: 'First' },
  },
  {
    ...{ what: 'an enum value added', resource: 'trucks', field: 'state' },
    ...{ edit: { values: { active: 'green', repair: 'orange', sold: 'gray' } }, opens: { state: 'sold' } },
  },
  {
    ...{ what: 'an enum value removed', resource: 'trucks', field: 'state' },
    ...{ edit: { values: { active: 'green', repair: 'orange' } }, breaks: { state: 'sold' } },
  },
  {
    ...{ what: 'readonly', resource: 'trucks', field: 'fuel', edit: { readonly: true } },
    ...{ breaks: { fuel: 9 }, code: '42501' },
  },
  {
    what: 'no longer readonly',
    resource: 'trucks',
    field: 'fuel',
    edit: { readonly: undefined },
    opens: { fuel: 9 },
  },
  {
    ...{ what: 'a field added', resource: 'trucks', field: 'bay', since: 'command' },
    ...{ edit: add('bay', text), opens: { bay: 'B1' } },
  },
  {
    ...{ what: 'rows, an inner table', resource: 'permits', field: 'lines', since: 'command' },
    edit: add('lines', { type: 'rows', fields: { item: { type: 'text' }, count: { type: 'number' } } }),
    ...{ breaks: { lines: {} }, keeps: { lines: [{ item: 'x', count: 1 }] } },
  },
  {
    ...{ what: 'diff, a log of changes', resource: 'permits', field: 'changes', since: 'command' },
    edit: (definition) => {
      definition.fields.table_name = text
      add('changes', { type: 'diff', readonly: true })(definition)
    },
    ...{ opens: { table_name: 'permits' } },
  },
]

/** The table's treatment of a value before its change is another question for a field that is not there yet. */
const isNew = ({ since }: Change) => since === 'command'

export async function keepRules(stage: Stage): Promise<void> {
  await decimals(stage)
  for (const each of RULES) await (isNew(each) && each.breaks ? added(stage, each) : change(stage, each))
  await defaults(stage)
}

/** A new field refuses from its first moment. */
function added(stage: Stage, { breaks = {}, code = '23514', ...each }: Change): Promise<void> {
  return change(stage, {
    ...each,
    after: async () => {
      expect(await taken(stage, each.resource, breaks), 'broken').toBe(code)
    },
  })
}

async function decimals(stage: Stage): Promise<void> {
  await change(stage, {
    ...{ what: 'decimals', resource: 'trips', field: 'km', edit: { decimals: 2 }, opens: { km: 10.25 } },
    after: async () => {
      const { row } = await post(stage, 'trips', { km: 10.255 })
      expect(row.km).toBe(10.26)
      await erase(stage, 'trips', row.id)
    },
  })
}

async function defaults(stage: Stage): Promise<void> {
  for (const [what, value, stored] of [
    ['a default added', 5, 5],
    ['a default changed', 6, 6],
    ['a default removed', undefined, null],
  ] as const)
    await change(stage, {
      ...{ what, resource: 'trips', field: 'km', edit: { default: value } },
      after: async () => {
        const { row } = await post(stage, 'trips', {})
        expect(row.km).toBe(stored)
        await erase(stage, 'trips', row.id)
      },
    })
}
