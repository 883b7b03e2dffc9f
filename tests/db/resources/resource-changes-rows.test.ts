import { describe, expect, it } from 'vitest'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { refuseBreakingRows } from '../../../scripts/resource/breaking-rows'
import { removeBounds } from '../../../scripts/resource/migration/bounds'
import { renderCreate } from '../../../scripts/resource/migration/create'
import { planTable } from '../../../scripts/resource/migration/plan'
import { tryOut } from '../../../scripts/resource/new'
import { renameBounds } from '../../../scripts/resource/rename/bounds'
import { readNamedObjects, renameInDatabase } from '../../../scripts/resource/rename/in-database'
import { fieldRenames } from '../../../scripts/resource/rename/renames'
import { ALIKE, date, type Fields, number, text } from '../support/change-cases'
import {
  ask,
  changesFor,
  created,
  define,
  devices,
  find,
  insert,
  know,
  known,
  openChangeDesk,
  plans,
  problems,
  refusal,
  scratch,
} from '../support/change-desk'

openChangeDesk()

describe('a change of a definition', () => {
  it('keeps values apart within a company, whatever their case, and lets them meet again', async () => {
    const fields: Fields = { a: text, b: number, c: date }
    const name = await created(fields)
    const after: Definition = {
      ...define(name, { ...fields, a: { ...text, unique: true } }),
      unique: [['b', 'c']],
    }
    expect((await problems(after)).map((each) => each.split(' ')[0])).toEqual(['/fields/a/unique', '/unique'])
    const changes = await changesFor(after)
    await insert(name, { a: "'One'", b: '1', c: "'2026-01-01'" })
    await insert(name, { a: "'oNE'", b: '1', c: "'2026-01-01'" })
    const said = await refusal(refuseBreakingRows(changes, ask))
    expect(said).toMatch(/2 rows of `\w+` have the same `a` as another one, such as/)
    expect(said).toMatch(/2 rows of `\w+` have the same `b` and `c` as another one/)
    expect(await refusal(tryOut(scratch, changes.statements.join('\n')))).toMatch(
      /Several rows have the same value/,
    )
    await scratch.run(`delete from public.${name};`)
    await scratch.run(changes.statements.join('\n'))
    expect(await problems(after)).toEqual([])
    await insert(name, { a: "'One'", b: '1', c: 'null' })
    await insert(name, { a: 'null', b: '1', c: 'null' })
    expect(await refusal(insert(name, { a: "'ONE'" }))).toContain(`"${name}_a_key"`)
    await insert(name, { a: "'Işık İĞ é'" })
    // Longer than an index takes.
    const long = "(select string_agg(md5(i::text), '') from generate_series(1, 200) i)"
    await insert(name, { a: long })
    expect(await refusal(insert(name, { a: `upper(${long})` }))).toContain(`"${name}_a_key"`)
    await insert(name, { a: `${long} || '.'` })
    const isTaken = async (value: string) => {
      const [row] = await scratch.query(
        `select public.is_taken('${name}', '{company_id,a}', jsonb_build_object('company_id', t.company_id, 'a', $1::text)) as taken from public.${name} t limit 1`,
        [value],
      )
      return row?.taken
    }
    for (const [value, taken] of ALIKE) {
      expect(await isTaken(value), value).toBe(taken)
      const said = await refusal(insert(name, { a: `'${value}'` }))
      expect(said.includes(`"${name}_a_key"`), value).toBe(taken)
    }
    await scratch.run((await changesFor(define(name, fields))).statements.join('\n'))
    expect(await problems(define(name, fields))).toEqual([])
    await insert(name, { a: "'ONE'" })
  })

  it('holds a field to a field of a related record, from either side', async () => {
    await scratch.run(renderCreate(planTable(plans, find), 'Plans.'))
    const plan_id: Field = { type: 'relation', to: 'plans' }
    const before: Fields = { plan_id, used: number, until: date }
    const after: Fields = {
      plan_id,
      used: { ...number, check: { _gte: 1, _lte: '$record.plan_id.seats' } },
      until: { ...date, check: { _lte: '$record.plan_id.ends_on' } },
    }
    const name = await created(before)
    const here = "(select id from public.plans where name = 'P')"
    const change = (sql: string) => refusal(scratch.run(sql))
    await insert('plans', { name: "'P'", seats: '5', ends_on: "'2026-06-01'" })
    await insert(name, { plan_id: here, used: '6' })

    expect((await problems(define(name, after))).map((each) => each.split(' ')[0])).toEqual([
      '/fields/used/check',
      '/fields/until/check',
      '/fields/used/check',
    ])
    const changes = await changesFor(define(name, after))
    expect(await refusal(refuseBreakingRows(changes, ask))).toMatch(
      /1 row of `\w+` break the check of `used` against `plan_id.seats`, such as .*\n.*Find them: select/,
    )
    expect(await refusal(tryOut(scratch, changes.statements.join('\n')))).toMatch(
      new RegExp(`Rows of \`${name}\` break the rule \`${name}_used_check03\``),
    )
    await scratch.run(`update public.${name} set used = 5;`)
    await scratch.run(changes.statements.join('\n'))
    expect(await problems(define(name, after))).toEqual([])
    expect(await changesFor(define(name, after))).toMatchObject({ statements: [], probes: [] })

    // The row's own writes, without the value of the related record in the refusal.
    const own = `new row for relation "${name}" violates check constraint "${name}_used_check03"`
    expect(await change(`update public.${name} set used = 6;`)).toContain(own)
    expect(await refusal(insert(name, { plan_id: here, used: '6' }))).toContain(own)
    expect(await refusal(insert(name, { plan_id: here, until: "'2026-06-02'" }))).toContain('until_check03')
    await insert(name, { used: '99', until: "'2030-01-01'" })
    expect(await change(`update public.${name} set plan_id = ${here};`)).toContain('check03')
    await scratch.run(`delete from public.${name} where used = 99;`)
    // The seats are those of the related record.
    expect(await change('update public.plans set seats = 4;')).toContain(
      `column "seats" of relation "plans" violates check constraint "${name}_used_check03" in 1 records of "${name}"`,
    )
    await scratch.run(`update public.plans set seats = 5, name = 'Q';`)

    // Another name on either side.
    const renamed: Definition = {
      ...plans,
      fields: { name: { type: 'text' }, places: number, ends_on: date },
    }
    const next: Fields = { ...after, used: { ...number, check: { _gte: 1, _lte: '$record.plan_id.places' } } }
    const objects = await readNamedObjects(scratch.query)
    const renames = fieldRenames(plans, { from: 'seats', to: 'places' }, ['seats'], known)
    const bounds = renameBounds(
      objects,
      [devices, plans, define(name, after)],
      [devices, renamed, define(name, next)],
    )
    const { statements } = renameInDatabase(bounds.rest, renames, new Map())
    await scratch.run([...bounds.drop, ...statements, ...bounds.create].join('\n'))
    know([devices, renamed])
    expect(await problems(define(name, next))).toEqual([])
    expect(await change('update public.plans set places = 4;')).toContain('in 1 records')
    expect(await change('alter table public.plans drop column places;')).toContain('depend on it')

    // Out of the console and back.
    const { triggerSources } = await scratch.read()
    const { open, close } = removeBounds(planTable(define(name, next), find), triggerSources)
    await scratch.run(close.join('\n'))
    await scratch.run('update public.plans set places = 4;')
    expect(await refusal(tryOut(scratch, open.join('\n')))).toContain(
      `break the rule \`${name}_used_check03\``,
    )
    await scratch.run('update public.plans set places = 5;')
    await scratch.run(open.join('\n'))

    // A column of another type, then the rule is taken back.
    const wider: Fields = { ...next, used: { ...next.used, max: 5_000_000_000 } as Field }
    await scratch.run((await changesFor(define(name, wider))).statements.join('\n'))
    expect(await problems(define(name, wider))).toEqual([])
    const free: Fields = { plan_id, used: { ...number, max: 5_000_000_000 }, until: date }
    await scratch.run((await changesFor(define(name, free))).statements.join('\n'))
    expect(await problems(define(name, free))).toEqual([])
    await scratch.run('update public.plans set places = 4;')
    await insert(name, { plan_id: '(select id from public.plans)', used: '0' })
  })
})
