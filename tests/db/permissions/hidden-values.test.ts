import type { SupabaseClient } from '@supabase/supabase-js'
import { describe, expect, it } from 'vitest'
import { drivers } from '../../support/backend'
import {
  type Attempt,
  admin,
  backend,
  COST,
  clerk,
  company,
  filterOn,
  leaks,
  license,
  openCaseClerk,
  rpc,
  SIDE,
  tries,
} from './case-clerk'

describe.each(drivers('listen'))('the values of a hidden field, on %s', (driver) => {
  openCaseClerk(driver, 'hidden values')

  it('whoever may list license costs reads the value, changes and clears it', async () => {
    // Hosted PostgREST embeds a record, the embedded backend a list of one.
    const read = async () => {
      const { data } = await admin
        .from('software_licenses')
        .select(`own:${SIDE}(cost)`)
        .eq('id', license)
        .single()
      return [data?.own].flat().map((row) => row?.cost)
    }
    expect(await read()).toEqual([COST])
    const saved = await admin.rpc('save_rows', {
      resource: 'software_licenses',
      rows: [{ id: license, version: null, changes: { cost: null } }],
    })
    expect(saved.data).toMatchObject([{ outcome: 'changed' }])
    expect(await read()).toEqual([null])
    await admin.rpc('bulk_edit', { resource: 'software_licenses', ids: [license], changes: { cost: COST } })
    expect(await read()).toEqual([COST])
    await admin.from('software_licenses').update({ seats: 7 }).eq('id', license)
    expect(await read()).toEqual([COST])
    const { data } = await admin.rpc('record_activity', { resource: 'software_licenses', record_id: license })
    expect(JSON.stringify(data)).toContain(String(COST))
  })

  it('keeps a change of the value in the version of its record', async () => {
    const version = async () =>
      (await admin.from('software_licenses').select('version').eq('id', license).single()).data?.version
    const before = await version()
    await admin.from('software_licenses').update({ cost: 5 }).eq('id', license)
    expect(await version()).toBe(before + 1)
    await admin.from('software_licenses').update({ cost: COST }).eq('id', license)
  })

  it('refuses a value below the minimum, which its own table holds now', async () => {
    const { error } = await admin.from('software_licenses').update({ cost: -1 }).eq('id', license)
    expect(error?.code).toBe('23514')
  })

  it('gives the hidden value to nobody else, whatever they ask', async () => {
    const licenses = (client: SupabaseClient) => client.from('software_licenses')
    const side = (client: SupabaseClient) => client.from(SIDE)
    const attempts: Attempt[] = [
      ['select *', (c) => licenses(c).select('*').eq('id', license)],
      ['select the column', (c) => licenses(c).select('cost').eq('id', license)],
      ['an alias', (c) => licenses(c).select('x:cost').eq('id', license)],
      ['a cast', (c) => licenses(c).select('cost::text').eq('id', license)],
      ['the table of the values', (c) => side(c).select('*')],
      ['by its id', (c) => side(c).select('cost').eq('id', license)],
      ['by its company', (c) => side(c).select('cost').eq('company_id', company)],
      ['an embed', (c) => licenses(c).select(`id,${SIDE}(*)`).eq('id', license)],
      ['an inner embed', (c) => licenses(c).select(`id,${SIDE}!inner(cost)`).eq('id', license)],
      ['from the other side', (c) => side(c).select('cost,software_licenses(name)')],
      ['an embed of the company', (c) => c.from('companies').select(`id,${SIDE}(cost)`)],
      ['a filter on the embed', (c) => licenses(c).select(`cost,${SIDE}!inner()`).eq(`${SIDE}.cost`, COST)],
      ['an order by the embed', (c) => licenses(c).select('name,cost').order(`${SIDE}(cost)`)],
      ['csv', (c) => licenses(c).select('*').eq('id', license).csv()],
      ['csv of the values', (c) => side(c).select('*').csv()],
      ['search', rpc('search_software_licenses', { q: '987654' })],
      [
        'the palette',
        rpc('find_records', {
          q: 'Merlin',
          resources: [{ name: 'software_licenses', columns: ['name', 'cost'], company_id: company }],
        }),
      ],
      [
        'the palette over the values',
        rpc('find_records', {
          q: '987654',
          resources: [{ name: SIDE, columns: ['cost'], company_id: company }],
        }),
      ],
      [
        'titles',
        rpc('record_titles', { wanted: { software_licenses: { ids: [license], fields: ['name', 'cost'] } } }),
      ],
      [
        'titles of the values',
        rpc('record_titles', { wanted: { [SIDE]: { ids: [license], fields: ['cost'] } } }),
      ],
      ['facets', rpc('facet_counts', { resource: 'software_licenses', field: 'cost', filter: {} })],
      [
        'facets of the values',
        rpc('facet_counts', { resource: 'software_licenses', field: `${SIDE}.cost`, filter: {} }),
      ],
      ['facets on the values', rpc('facet_counts', { resource: SIDE, field: 'cost', filter: {} })],
      ['activity', rpc('record_activity', { resource: 'software_licenses', record_id: license })],
      ['activity of the values', rpc('record_activity', { resource: SIDE, record_id: license })],
      ['the log', (c) => c.from('audit_log').select('*').eq('row_id', license)],
      ['the log of the values', (c) => c.from('audit_log').select('*').eq('table_name', SIDE)],
      ['a path into the log', (c) => c.from('audit_log').select('v:changes->cost').eq('row_id', license)],
      ['what a write returns', (c) => licenses(c).update({ seats: 8 }).eq('id', license).select('*')],
      [
        'what an embed of a write returns',
        (c) => licenses(c).update({ seats: 9 }).eq('id', license).select(`cost,${SIDE}(cost)`),
      ],
      ['a write of the mark', (c) => licenses(c).update({ cost: 'NaN' }).eq('id', license).select('*')],
      [
        'bulk edit',
        rpc('bulk_edit', { resource: 'software_licenses', ids: [license], changes: { cost: 1 } }),
      ],
      ['bulk edit of the values', rpc('bulk_edit', { resource: SIDE, ids: [license], changes: { cost: 1 } })],
      ['bulk delete of the values', rpc('bulk_delete', { resource: SIDE, ids: [license] })],
      [
        'saved rows',
        rpc('save_rows', {
          resource: 'software_licenses',
          rows: [{ id: license, version: null, changes: { cost: 1 } }],
        }),
      ],
      [
        'saved rows of the values',
        rpc('save_rows', { resource: SIDE, rows: [{ id: license, version: null, changes: { cost: 1 } }] }),
      ],
      [
        'an import',
        rpc('import_rows', {
          resource: 'software_licenses',
          company,
          rows: [{ line: 1, values: { name: 'Merlin suite', cost: 1 } }],
          keys: ['name'],
          mode: 'upsert',
          dry_run: true,
        }),
      ],
      ['a write of the values', (c) => side(c).update({ cost: 1 }).eq('id', license).select()],
      ['an insert of the values', (c) => side(c).insert({ company_id: company, id: license, cost: 1 })],
      ['a removal of the values', (c) => side(c).delete().eq('id', license).select()],
    ]
    expect(await leaks(attempts, ['987654', '987655'])).toEqual([])
    const [kept] = await backend.sql<{ cost: string }>(`select cost from public.${SIDE} where id = $1`, [
      license,
    ])
    expect(Number(kept?.cost)).toBe(COST)
  })

  it('lets those who may read the value filter, sort, count, group, import and export by it', async () => {
    const licenses = () => admin.from('software_licenses')
    const found = async (filter: Record<string, unknown>) =>
      ((await admin.rpc('matching_ids', { resource: 'software_licenses', filter })).data ?? []).includes(
        license,
      )
    expect((await licenses().select('id,hidden_cost').eq('hidden_cost', COST)).data).toEqual([
      { id: license, hidden_cost: COST },
    ])
    const { count } = await licenses()
      .select('id', { count: 'exact' })
      .or(`hidden_cost.gt.${COST - 1},name.eq.none`)
    expect(count).toBe(1)
    const sorted = await licenses()
      .select('id,hidden_cost')
      .order('hidden_cost', { ascending: false, nullsFirst: false })
      .order('id')
    expect(sorted.data?.[0]).toEqual({ id: license, hidden_cost: COST })
    const values = (sorted.data ?? []).map(({ hidden_cost }) => hidden_cost).filter((each) => each !== null)
    expect(values).toEqual([...values].sort((a, b) => b - a))
    const searched = await admin
      .rpc('search_software_licenses', { q: 'merlin' })
      .select('id,cost')
      .gte('cost', COST)
      .order('cost')
    expect(searched.data).toEqual([{ id: license, cost: COST }])
    expect(await found(filterOn('cost', { _eq: COST }))).toBe(true)
    expect(await found(filterOn('cost', { _gt: COST }))).toBe(false)
    expect(await found(filterOn('cost', { _null: true }))).toBe(false)
    const facets = await admin.rpc('facet_counts', {
      resource: 'software_licenses',
      field: 'cost',
      filter: {},
    })
    expect(facets.data).toContainEqual({ value: String(COST), count: 1 })
    const figures = await admin.rpc('list_figures', {
      resource: 'software_licenses',
      filter: filterOn('name', { _eq: 'Merlin suite' }),
      figures: { total: { show: 'number', measure: 'sum', of: 'cost' } },
    })
    expect(figures.data).toEqual({ total: { value: COST } })
    const importing = async (cost: number) => {
      const { data } = await admin.rpc('import_rows', {
        resource: 'software_licenses',
        company,
        rows: [{ line: 1, values: { name: 'Merlin suite', cost } }],
        keys: ['name'],
      })
      return [data.updated, data.same, data.errors]
    }
    expect(await importing(COST)).toEqual([0, 1, []])
    expect(await importing(COST + 1)).toEqual([1, 0, []])
  })

  it('tells no hidden value by what a question finds', async () => {
    const questions: Attempt[] = [
      ['equal', (c) => c.from('software_licenses').select('id').eq('cost', COST)],
      ['one of', (c) => c.from('software_licenses').select('id').in('cost', [COST])],
      [
        'less',
        (c) =>
          c
            .from('software_licenses')
            .select('id')
            .lt('cost', COST + 1),
      ],
      ['empty', (c) => c.from('software_licenses').select('id').is('cost', null)],
      ['inside an or', (c) => c.from('software_licenses').select('id').or(`cost.eq.${COST},name.eq.none`)],
      [
        'matching ids',
        rpc('matching_ids', { resource: 'software_licenses', filter: filterOn('cost', { _eq: COST }) }),
      ],
      [
        'matching ids by the values',
        rpc('matching_ids', { resource: 'software_licenses', filter: filterOn(`${SIDE}.cost`, { _gt: 0 }) }),
      ],
      [
        'matching ids by a text',
        rpc('matching_ids', {
          resource: 'software_licenses',
          filter: filterOn('cost', { _contains: '9876' }),
        }),
      ],
      ['the reading function', (c) => c.from('software_licenses').select('id').eq('hidden_cost', COST)],
      ['the reading function, less', (c) => c.from('software_licenses').select('id').lt('hidden_cost', 1e9)],
      [
        'the reading function, in an or',
        (c) => c.from('software_licenses').select('id').or(`hidden_cost.gt.1,name.eq.none`),
      ],
      [
        'the reading function, not empty',
        (c) => c.from('software_licenses').select('id').not('hidden_cost', 'is', null),
      ],
      [
        'the search by its value',
        (c) => c.rpc('search_software_licenses', { q: 'merlin' }).select('id').eq('cost', COST),
      ],
      ['the reading function as a call', rpc('hidden_cost', { r: { id: license, company_id: company } })],
    ]
    expect(await leaks(questions, [license])).toEqual([])
    // Refused as a whole: a filter by it that held for every row would choose rows to edit that nobody meant.
    for (const [name, args] of [
      ['matching_ids', { filter: filterOn('cost', { _null: true }) }],
      ['matching_ids', { filter: { _or: [filterOn('cost', { _gt: 0 }), filterOn('name', { _eq: 'x' })] } }],
      ['facet_counts', { field: 'cost', filter: {} }],
      ['facet_counts', { field: 'name', filter: filterOn('cost', { _lt: 5 }) }],
      ['list_figures', { filter: {}, figures: { a: { show: 'number', measure: 'sum', of: 'cost' } } }],
      [
        'list_figures',
        { filter: {}, figures: { a: { show: 'number', filter: filterOn('cost', { _gt: 1 }) } } },
      ],
      ['list_figures', { filter: {}, figures: { a: { show: 'top', by: 'cost' } } }],
    ] as const) {
      tries.count += 1
      const { error } = await clerk.rpc(name, { resource: 'software_licenses', ...args })
      expect([name, error?.code, error?.hint]).toEqual([name, '42501', 'role'])
    }
    // The order says nothing, and an import answers the same for the right value and for a wrong one.
    tries.count += 2
    const orders = await Promise.all(
      [true, false].map(async (ascending) => {
        const rows = await clerk
          .from('software_licenses')
          .select('id,hidden_cost')
          .order('hidden_cost', { ascending })
          .order('id')
        return rows.data?.map(({ id, hidden_cost }) => [id, hidden_cost])
      }),
    )
    expect(orders[0]?.length).toBeGreaterThan(1)
    expect(orders[0]).toEqual(orders[1])
    const compared = await Promise.all(
      [COST, 1].map(async (cost) => {
        tries.count += 1
        const { data } = await clerk.rpc('import_rows', {
          resource: 'software_licenses',
          company,
          rows: [{ line: 1, values: { name: 'Merlin suite', cost } }],
          keys: ['name'],
        })
        return [
          data.updated,
          data.same,
          data.errors.map(({ code, hint }: { code: string; hint: string }) => [code, hint]),
        ]
      }),
    )
    expect(compared[0]).toEqual(compared[1])
    expect(compared[0]?.[2]).toEqual([['42501', 'role']])
    tries.count += 1
    const taken = await clerk.rpc('is_taken', {
      resource: 'software_licenses',
      fields: ['cost'],
      record: { cost: COST },
    })
    expect(taken.data).toBe(false)
  })
})
