import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Definition, Field } from '@/resource/definition/definition.generated'
import { refuseBreakingRows } from '../../scripts/resource/breaking-rows'
import { inspectDatabase } from '../../scripts/resource/check-database'
import { type Changes, planChanges } from '../../scripts/resource/migration/alter'
import { removeBounds } from '../../scripts/resource/migration/bounds'
import { renderCreate } from '../../scripts/resource/migration/create'
import { planTable } from '../../scripts/resource/migration/plan'
import { tryOut } from '../../scripts/resource/new'
import { renameBounds } from '../../scripts/resource/rename/bounds'
import { readNamedObjects, renameInDatabase } from '../../scripts/resource/rename/in-database'
import { fieldRenames } from '../../scripts/resource/rename/renames'
import { openScratch, type Scratch } from '../../scripts/resource/scratch'
import { askRows } from '../../supabase/embedded/operations'
import { ALIKE, DEFAULTS, date, type Fields, number, RULES, TYPES, text } from './change-cases'

const devices: Definition = { name: 'devices', fields: { name: { type: 'text' } } }
const plans: Definition = {
  name: 'plans',
  fields: { name: { type: 'text' }, seats: { type: 'number' }, ends_on: { type: 'date' } },
}
let known: Definition[] = [devices, plans]
const find = (name: string) => known.find((each) => each.name === name) ?? null

let scratch: Scratch
let count = 0
beforeAll(async () => {
  scratch = await openScratch(process.cwd())
})
afterAll(async () => scratch.stop())

const define = (name: string, fields: Fields): Definition => ({ name, fields })

/** A table as `resource new` makes it. */
async function created(fields: Fields): Promise<string> {
  const name = `things${++count}`
  await scratch.run(renderCreate(planTable(define(name, fields), find), 'Things.'))
  return name
}

async function changesFor(definition: Definition, drop = false): Promise<Changes> {
  const catalog = await scratch.read()
  const table = catalog.tables.find(({ name }) => name === definition.name)
  if (!table) throw new Error(`no table ${definition.name}`)
  return planChanges(
    {
      definition,
      plan: planTable(definition, find),
      table,
      tables: catalog.tables.map(({ name }) => name),
      sources: catalog.triggerSources,
      isGenerated: true,
    },
    { drop },
  )
}

async function problems(definition: Definition): Promise<string[]> {
  const catalog = await scratch.read()
  return inspectDatabase(definition, { catalog, find, isGenerated: () => true }).map(
    ({ pointer, message, hint }) => `${pointer} ${message} | ${hint ?? ''}`,
  )
}

const refusal = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'taken',
    (error: Error) => error.message,
  )

async function insert(table: string, values: Record<string, string>): Promise<void> {
  await scratch.run(`insert into public.companies (id, name) values ('11111111-1111-4111-8111-111111111111', 'One')
    on conflict do nothing;
    insert into public.${table} (company_id, ${Object.keys(values).join(', ')})
    values ('11111111-1111-4111-8111-111111111111', ${Object.values(values).join(', ')});`)
}

const ask = (questions: readonly string[]) => askRows(scratch.query, questions)

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

/** What the linter says of each case, by the number at the end of its fields. */
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
    // Those of the related record.
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
    known = [devices, renamed]
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
