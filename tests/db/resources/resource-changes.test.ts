import { describe, expect, it } from 'vitest'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { refuseBreakingRows } from '../../../scripts/resource/breaking-rows'
import { tryOut } from '../../../scripts/resource/new'
import { DEFAULTS, date, type Fields, number, RULES, TYPES, text } from '../support/change-cases'
import {
  ask,
  changesFor,
  created,
  define,
  insert,
  openChangeDesk,
  problems,
  refusal,
  scratch,
} from '../support/change-desk'

openChangeDesk()

/** Every case in one table, so that the catalog is read a few times only: its fields get the number of their case. */
function merged<Case>(cases: readonly Case[], fields: (each: Case) => Fields): Fields {
  return Object.fromEntries(
    cases.flatMap((each, index) =>
      Object.entries(fields(each)).map(([name, field]): [string, Field] => [
        `${name}${index}`,
        JSON.parse(
          JSON.stringify(field)
            .replace('$record.a', `$record.a${index}`)
            .replace('"when":{"a"', `"when":{"a${index}"`),
        ) as Field,
      ]),
    ),
  )
}

const numbered = (values: Record<string, string>, index: number) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`${name}${index}`, value]))

/** The linter's words on each case, by the number at the end of its fields. */
function byCase(found: readonly string[]): Map<number, string> {
  return new Map(found.map((each) => [Number(/^\/fields\/[a-z]+(\d+)/.exec(each)?.[1]), each]))
}

describe('a change of a definition', () => {
  it('holds the database to every rule, and takes it back', async () => {
    const [before, after] = [merged(RULES, ([, each]) => each), merged(RULES, ([, , each]) => each)]
    const name = await created(before)
    expect(await problems(define(name, before))).toEqual([])

    const found = byCase(await problems(define(name, after)))
    for (const [index, [what, , , pointer]] of RULES.entries()) {
      const [, field = '', option = ''] = pointer.split('/')
      const place = `/fields/${field}${index}${option && `/${option}`} `
      expect(found.get(index), what).toMatch(new RegExp(`^${place}.*npm run resource migrate ${name}`))
    }

    const tightened = await changesFor(define(name, after))
    const bad = RULES.map(([, , , , values], index) => numbered(values, index))
    for (const [index, [what]] of RULES.entries()) {
      const values = bad[index] ?? {}
      if (Object.keys(values).length === 0) continue
      await insert(name, values)
      const breaking = tightened.probes.filter(({ where }) => new RegExp(`[a-z]${index}\\b`).test(where))
      const said = await refusal(refuseBreakingRows({ ...tightened, probes: breaking }, ask))
      expect(said, what).toMatch(
        new RegExp(`1 row of \`${name}\` [^\n]*, such as [0-9a-f-]{36}\\.\n.*Find them: select`),
      )
      await scratch.run(`delete from public.${name};`)
    }
    await insert(name, Object.fromEntries(bad.flatMap((values) => Object.entries(values))))
    expect(await refusal(tryOut(scratch, tightened.statements.join('\n')))).toContain(
      'The database refuses the migration',
    )
    await scratch.run(`delete from public.${name};`)
    await scratch.run(tightened.statements.join('\n'))
    expect(await problems(define(name, after))).toEqual([])
    expect(await changesFor(define(name, after))).toMatchObject({ statements: [], kept: [] })

    await scratch.run((await changesFor(define(name, before))).statements.join('\n'))
    expect(await problems(define(name, before))).toEqual([])
    for (const values of bad.filter((each) => Object.keys(each).length > 0)) await insert(name, values)
  })

  it('follows a default that is added, changed or removed', async () => {
    const [before, after] = [merged(DEFAULTS, ([, each]) => each), merged(DEFAULTS, ([, , each]) => each)]
    const name = await created(before)
    expect(await problems(define(name, before))).toEqual([])
    expect([...byCase(await problems(define(name, after))).keys()].sort()).toEqual([...DEFAULTS.keys()])
    await scratch.run((await changesFor(define(name, after))).statements.join('\n'))
    expect(await problems(define(name, after))).toEqual([])
  })

  it('converts values without a loss, and names those that it cannot convert', async () => {
    const [before, after] = [
      merged(TYPES, ([each]) => ({ a: each })),
      merged(TYPES, ([, each]) => ({ a: each })),
    ]
    const name = await created(before)
    const changes = await changesFor(define(name, after))
    for (const [index, [, , , bad]] of TYPES.entries()) {
      if (bad === null) continue
      await insert(name, { [`a${index}`]: bad })
      const said = await refusal(refuseBreakingRows(changes, ask))
      expect(said, bad).toMatch(
        new RegExp(`1 row of .* (have a|break what the definition says of) \`a${index}\``),
      )
      await scratch.run(`delete from public.${name};`)
    }
    await insert(name, Object.fromEntries(TYPES.map(([, , good], index) => [`a${index}`, good])))
    await refuseBreakingRows(changes, ask)
    await scratch.run(changes.statements.join('\n'))
    const [row] = await scratch.query(`select to_jsonb(t) as row from public.${name} t`)
    expect(row?.row).toMatchObject(
      Object.fromEntries(TYPES.map(([, , , , stored], index) => [`a${index}`, stored])),
    )
    expect(await problems(define(name, after))).toEqual([])
  })

  it.each<[string, Field]>([
    ['relation', { type: 'relation', to: 'devices' }],
    ['user', { type: 'user' }],
  ])('turns the column of a %s into a text that is required and unique', async (_what, before) => {
    const name = await created({ a: before, b: text })
    const after: Definition = {
      ...define(name, { a: { ...text, required: true, max_length: 80, unique: true }, b: text }),
      unique: [['a', 'b']],
    }
    expect(await problems(after)).toContainEqual(
      expect.stringMatching(/^\/fields\/a\/type `a` is `text`, but its column is `uuid`/),
    )
    await insert(name, { b: "'x'" })
    const changes = await changesFor(after)
    expect(await refusal(refuseBreakingRows(changes, ask))).toMatch(/1 row of .* have no `a`/)
    await scratch.run(`delete from public.${name};`)
    await scratch.run(changes.statements.join('\n'))
    await insert(name, { a: "'Işık'" })
    expect(await refusal(insert(name, { a: "'IŞIK'" }))).toContain('duplicate key')
    expect(await refusal(insert(name, { a: "' '" }))).toContain('check constraint')
    expect(await problems(after)).toEqual([])
    expect((await changesFor(after)).statements).toEqual([])
  })

  it('guards a field whose default and pattern contain dollar quotes', async () => {
    const value = "$$ $guard$; it's $guard2$"
    const guard = { write: { object: 'devices', verb: 'edit' } }
    const fields: Fields = { a: { ...text, default: value, pattern: '^\\$\\$ \\$guard\\$;', guard } }
    const name = await created(fields)
    expect(await problems(define(name, fields))).toEqual([])
    await insert(name, { a: 'default' })
    expect(await scratch.query(`select a from public.${name}`)).toEqual([{ a: value }])
  })

  it('refuses a conversion that loses something', async () => {
    const name = await created({ a: { type: 'tags' } })
    expect((await changesFor(define(name, { a: number }))).refusals).toEqual([
      {
        message: expect.stringMatching(
          /`a` is `text\[\]` in the database .* no conversion of its values is safe/,
        ),
        hint: expect.stringContaining('Add a field of another name'),
      },
    ])
  })

  it('takes back who may write', async () => {
    const name = await created({ a: text, b: text })
    const after: Fields = { a: { ...text, readonly: true }, b: { ...text, once: true } }
    expect((await problems(define(name, after))).map((each) => each.split(' ')[0])).toEqual([
      '/fields/a',
      '/fields/b',
    ])
    await scratch.run((await changesFor(define(name, after))).statements.join('\n'))
    expect(await problems(define(name, after))).toEqual([])
    expect((await problems(define(name, { a: { type: 'computed' }, b: text }))).join()).not.toContain('API')
    await scratch.run(`grant update (a) on public.${name} to authenticated;`)
    expect((await problems(define(name, { a: { type: 'computed' }, b: text }))).join()).toContain(
      'the API takes any value',
    )
  })

  it('says in a sentence what the database answers with a code', async () => {
    const name = await created({ a: text, b: date })
    const said = async (fields: Fields) => {
      const changes = await changesFor(define(name, fields))
      return refusal(tryOut(scratch, changes.statements.join('\n')))
    }
    const compared = await said({ a: text, b: { ...date, check: { _gte: '$record.a' } } })
    expect(compared).toMatch(/cannot compare or call this.*date >= text\.\n +Compare values of the same kind/)
    await scratch.run(`create view public.${name}_seen as select a from public.${name};`)
    expect(await said({ a: number, b: date })).toMatch(
      /cannot make this change in place.*\n +Drop what depends/,
    )
    expect(
      await refusal(
        tryOut(scratch, `create or replace view public.${name}_seen as select b from public.${name}`),
      ),
    ).toMatch(/cannot be changed like this.*\n +Drop the view/)
    await insert(name, { a: 'null' })
    expect(await refusal(tryOut(scratch, `alter table public.${name} alter column a set not null`))).toMatch(
      /`a` is empty in rows of `\w+`.*\n +Fill those rows/,
    )
    const required = await changesFor(define(name, { a: text, b: date, c: { ...number, required: true } }))
    expect(await refusal(refuseBreakingRows(required, ask))).toMatch(
      /would have no `c`.*\n +Give the field a `default`/,
    )
  })
})
