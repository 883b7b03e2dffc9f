import { describe, expect, it } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { refuseBreakingRows } from '../../../scripts/resource/breaking-rows'
import { renderCreate } from '../../../scripts/resource/migration/create'
import { planTable } from '../../../scripts/resource/migration/plan'
import {
  ask,
  changesFor,
  created,
  define,
  insert,
  know,
  known,
  openChangeDesk,
  problems,
  refusal,
  scratch,
} from '../support/change-desk'

openChangeDesk()

const FIELDS = { code: { type: 'text' as const, unique: true }, note: { type: 'text' as const } }
const apply = async (definition: Definition, drop = false) => {
  const changes = await changesFor(definition, drop)
  await scratch.run(changes.statements.join('\n'))
  return changes
}
const rows = (table: string) =>
  scratch.query<{ code: string; gone: boolean }>(
    `select code, deleted_at is not null as gone from public.${table} order by code, gone`,
  )

describe('the trash of a definition', () => {
  it('is asked for by `check`, made by `migrate`, and taken away again', async () => {
    const name = await created(FIELDS)
    const plain = define(name, FIELDS)
    const kept: Definition = { ...plain, trash: true }
    expect((await problems(kept)).join()).toContain(
      `/trash the database deletes the rows of \`${name}\` at once`,
    )
    await apply(kept)
    expect(await problems(kept)).toEqual([])
    expect((await changesFor(kept)).statements).toEqual([])

    await insert(name, { code: `'A'` })
    await scratch.run(`delete from public.${name}`)
    await insert(name, { code: `'a'` })
    expect(await rows(name)).toEqual([
      { code: 'A', gone: true },
      { code: 'a', gone: false },
    ])
    expect(await refusal(insert(name, { code: `'A'` }))).toContain(`${name}_code_key`)

    expect((await problems(plain)).join()).toContain(`keeps deleted rows of \`${name}\` in a trash`)
    expect(await refusal(refuseBreakingRows(await changesFor(plain), ask))).toContain(
      `1 row of \`${name}\` would come back from the trash`,
    )
    // The second deletion is for good.
    await scratch.run(`delete from public.${name} where deleted_at is not null`)
    await apply(plain, true)
    expect(await problems(plain)).toEqual([])
    await scratch.run(`update public.${name} set note = 'told'; delete from public.${name}`)
    expect(await scratch.query(`select id from public.${name}`)).toEqual([])
  })

  it('is in a new table from the beginning, and takes along what belongs to the record', async () => {
    const parent: Definition = {
      ...define('crates', {
        ...FIELDS,
        groups: {
          type: 'many-to-many',
          to: 'devices',
          through: 'crate_devices',
          near: 'crate_id',
          far: 'device_id',
        },
      }),
      trash: true,
    }
    const child: Definition = {
      ...define('bottles', {
        code: { type: 'text' },
        crate_id: { type: 'relation', to: 'crates', on_delete: 'cascade' },
      }),
      trash: true,
    }
    const holder = define('labels', {
      code: { type: 'text' },
      bottle_id: { type: 'relation', to: 'bottles', required: true },
    })
    know([...known, parent, child, holder])
    for (const definition of [parent, child, holder])
      await scratch.run(
        renderCreate(
          planTable(definition, (name) => known.find((each) => each.name === name) ?? null),
          'Things.',
        ),
      )
    for (const definition of [parent, child, holder]) expect(await problems(definition)).toEqual([])

    const forgetful: Definition = { ...child, trash: false }
    expect((await problems(forgetful)).join()).toContain(
      '/fields/crate_id/on_delete a record of `crates` goes to the trash',
    )

    await insert('crates', { code: `'C'` })
    await insert('bottles', { code: `'B1'`, crate_id: '(select id from public.crates)' })
    await insert('bottles', { code: `'B2'`, crate_id: '(select id from public.crates)' })
    await insert('labels', { code: `'L'`, bottle_id: `(select id from public.bottles where code = 'B2')` })
    expect(await refusal(scratch.run(`delete from public.bottles where code = 'B2'`))).toContain(
      'labels_company_id_bottle_id_fkey',
    )
    await scratch.run(
      `delete from public.bottles where code = 'B1'; update public.bottles set deleted_at = now() - interval '1 hour' where code = 'B1'`,
    )
    await scratch.run('delete from public.labels; delete from public.crates')
    expect(await rows('bottles')).toEqual([
      { code: 'B1', gone: true },
      { code: 'B2', gone: true },
    ])
    expect(
      await refusal(scratch.run(`select app.restore_row('public.bottles', id) from public.bottles`)),
    ).toContain('a record of crates that it belongs to is in the trash')
    await scratch.run(`select app.restore_row('public.crates', id) from public.crates`)
    // The bottle that was deleted before its crate stays in the trash.
    expect(await rows('bottles')).toEqual([
      { code: 'B1', gone: true },
      { code: 'B2', gone: false },
    ])
    await scratch.run(
      `delete from public.crates; update public.crates set deleted_at = now() - interval '31 days'; select app.empty_trash()`,
    )
    expect(await rows('crates')).toEqual([])
    expect(await rows('bottles')).toEqual([])
  })

  it('leaves records in it out of times that must not overlap', async () => {
    const rule: Definition = {
      ...define('bookings', {
        room: { type: 'text' },
        begins: { type: 'date' },
        ends: { type: 'date', check: { _gte: '$record.begins' } },
      }),
      no_overlap: { by: 'room', from: 'begins', until: 'ends' },
      trash: true,
    }
    await scratch.run(
      renderCreate(
        planTable(rule, () => null),
        'Bookings.',
      ),
    )
    expect(await problems(rule)).toEqual([])
    const book = () => insert('bookings', { room: `'1'`, begins: `'2026-01-01'`, ends: `'2026-01-03'` })
    await book()
    expect(await refusal(book())).toContain('bookings_begins_no_overlap')
    await scratch.run('delete from public.bookings')
    await book()
    expect(
      await refusal(
        scratch.run(
          `select app.restore_row('public.bookings', id) from public.bookings where deleted_at is not null`,
        ),
      ),
    ).toContain('bookings_begins_no_overlap')
  })
})
