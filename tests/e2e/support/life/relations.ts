import { expect } from '../test'
import { migration } from './found'
import { add } from './rules'
import { change, erase, patch, post, resource, type Stage, taken } from './stage'

/** Rules between records. */
export async function keepRelations(stage: Stage, truck: string): Promise<void> {
  await change(stage, {
    ...{ what: 'a check against a related record', resource: 'permits', field: 'weight' },
    edit: { check: { _lte: '$record.truck_id.tank' } },
    ...{ breaks: { truck_id: truck, weight: 901 }, keeps: { truck_id: truck, weight: 900 } },
    after: async () => {
      expect(await patch(stage, 'trucks', truck, { tank: 99 })).toBe('23514')
      expect(await patch(stage, 'trucks', truck, { tank: 901 })).toBe('taken')
    },
  })
  const parent = async () => {
    const { row } = await post(stage, 'trucks', {})
    return String(row.id)
  }
  for (const [rule, answer, left] of [
    ['restrict', '23503', 1],
    ['set_null', 'taken', 1],
    ['cascade', 'taken', 0],
  ] as const)
    await change(stage, {
      ...{ what: `on_delete: ${rule}`, resource: 'permits', field: 'truck_id', edit: { on_delete: rule } },
      after: async () => {
        const id = await parent()
        const { row } = await post(stage, 'permits', { truck_id: id })
        expect(await erase(stage, 'trucks', id)).toBe(answer)
        expect(await stage.admin.read(`permits?id=eq.${row.id}&select=id`)).toHaveLength(left)
        await erase(stage, 'permits', row.id)
        await erase(stage, 'trucks', id)
      },
    })
  await change(stage, {
    ...{ what: 'once', resource: 'trucks', field: 'fuel', edit: { once: true }, keeps: { fuel: 3 } },
    after: async () => expect(await patch(stage, 'trucks', truck, { fuel: 4 })).toBe('42501'),
  })
  await change(stage, {
    ...{ what: 'no longer once', resource: 'trucks', field: 'fuel', edit: { once: undefined } },
    after: async () => expect(await patch(stage, 'trucks', truck, { fuel: 4 })).toBe('taken'),
  })
}

const COLUMNS = `alter table public.permits
  add column code_size integer generated always as (length(code)) stored,
  add column role text references app.role (name);
grant insert (role), update (role) on public.permits to authenticated;
`

/** Columns that only a migration of one's own can write. */
export async function keepWritten(stage: Stage): Promise<void> {
  await change(stage, {
    ...{ what: 'a computed column and a role', resource: 'permits', field: 'code_size', since: 'command' },
    edit: (definition) => {
      add('role', { type: 'role' })(definition)
      add('code_size', { type: 'computed', as: 'number', readonly: true })(definition)
    },
    run: async () => {
      migration(stage, 'compute_permits', COLUMNS)
      await resource(stage, 'migrate', 'permits')
    },
    keeps: { role: 'Teknik' },
    after: async () => {
      const { row } = await post(stage, 'permits', { code: 'ABCD' })
      expect(row.code_size).toBe(4)
      expect(await taken(stage, 'permits', { role: 'Nobody' })).toBe('23503')
      expect(await taken(stage, 'permits', { code_size: 1 })).toMatch(/^42/)
      await erase(stage, 'permits', row.id)
    },
  })
}
