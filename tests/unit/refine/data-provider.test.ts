import { createClient } from '@supabase/supabase-js'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { DeniedError, GoneError, OfflineError } from '@/data/errors'
import { createDataProvider } from '@/refine/data-provider'

interface Sent {
  url: string
  method: string
  body: unknown
}

/** A provider whose requests are answered here, and what it sent. */
function provider(answer: () => Response | Promise<Response>) {
  const sent: Sent[] = []
  const client = createClient('http://backend.test', 'key', {
    auth: { persistSession: false },
    realtime: { transport: WebSocket as never },
    global: {
      fetch: async (input, init) => {
        sent.push({
          url: decodeURIComponent(String(input)),
          method: init?.method ?? 'GET',
          body: init?.body ? JSON.parse(String(init.body)) : null,
        })
        return answer()
      },
    },
  })
  return { provider: createDataProvider(client, 'http://backend.test'), sent }
}

const rows = (count: number) => () =>
  Response.json(Array.from({ length: count }, (_, index) => ({ id: String(index) })))
const refused = () => Response.json({ code: '42501', message: 'no', hint: 'read-only' }, { status: 403 })

describe('the data provider', () => {
  it('reads one row more than a page, so that "next" is known without a count', async () => {
    const { provider: own, sent } = provider(rows(3))
    const list = await own.getList({
      resource: 'devices',
      pagination: { currentPage: 1, pageSize: 2 },
      meta: { count: 'none' },
    })
    expect(list).toMatchObject({ data: [{ id: '0' }, { id: '1' }], hasNext: true, hasPrevious: false })
    expect(sent).toHaveLength(1)
  })

  it('names the company in the request, and the table where the resource is named otherwise', async () => {
    const { provider: own, sent } = provider(rows(1))
    await own.getList({ resource: 'runs', meta: { table: 'job_runs', companyId: 'acme', count: 'none' } })
    await own.getMany?.({ resource: 'runs', ids: ['1'], meta: { table: 'job_runs' } })
    expect(sent[0]?.url).toContain('/job_runs?select=*&company_id=eq.acme')
    expect(sent[1]?.url).toContain('/job_runs?')
  })

  it('takes no changed row for a failure', async () => {
    const { provider: own } = provider(rows(0))
    await expect(own.update({ resource: 'devices', id: '1', variables: {} })).rejects.toThrow(GoneError)
    await expect(own.deleteOne({ resource: 'devices', id: '1' })).rejects.toThrow(GoneError)
    await expect(own.getOne({ resource: 'devices', id: '1' })).rejects.toThrow(GoneError)
  })

  it('deletes many by one request, and hands a batch to its function', async () => {
    const { provider: own, sent } = provider(rows(2))
    await own.deleteMany?.({ resource: 'devices', ids: ['1', '2'] })
    await own.updateMany?.({
      resource: 'devices',
      ids: ['1', '2'],
      variables: {},
      meta: { batch: { name: 'bulk_edit', args: { job: 'j' } } },
    })
    expect(sent.map(({ method }) => method)).toEqual(['DELETE', 'POST'])
    expect(sent[1]).toMatchObject({ body: { resource: 'devices', ids: ['1', '2'], job: 'j' } })
    expect(sent[1]?.url).toContain('/rpc/bulk_edit')
  })

  it('gives every failure its class and its HTTP status, in the methods of the published provider too', async () => {
    const { provider: own } = provider(refused)
    for (const call of [
      own.create({ resource: 'devices', variables: {} }),
      own.getMany?.({ resource: 'devices', ids: ['1'] }),
      own.getList({ resource: 'devices' }),
      own.custom?.({ url: 'rpc/dashboard', method: 'post' }),
    ])
      await expect(call).rejects.toBeInstanceOf(DeniedError)
    await expect(own.getList({ resource: 'devices' })).rejects.toMatchObject({
      statusCode: 403,
      reason: 'read-only',
    })
    const { provider: away } = provider(() => {
      throw new TypeError('Failed to fetch')
    })
    await expect(away.create({ resource: 'devices', variables: {} })).rejects.toBeInstanceOf(OfflineError)
  })
})

const inRange = (count: number, total: number) => () =>
  Response.json(
    Array.from({ length: count }, (_, index) => ({ id: String(index) })),
    { headers: { 'Content-Range': `0-${count - 1}/${total}` } },
  )

describe('the count of a list', () => {
  it('comes with the rows, in one request', async () => {
    const { provider: own, sent } = provider(inRange(2, 5))
    const list = await own.getList({
      resource: 'devices',
      pagination: { currentPage: 1, pageSize: 2 },
    })
    expect(list).toMatchObject({ data: [{ id: '0' }, { id: '1' }], total: 5, hasNext: true })
    expect(sent).toHaveLength(1)
  })

  it('is read also for a page past the end, which is empty', async () => {
    const answers = [
      Response.json({ code: 'PGRST103', message: 'Requested range not satisfiable' }, { status: 416 }),
      inRange(1, 5)(),
    ]
    const { provider: own } = provider(() => answers.shift() ?? new Response())
    const list = await own.getList({
      resource: 'devices',
      pagination: { currentPage: 9, pageSize: 2 },
    })
    expect(list).toMatchObject({ data: [], total: 5, hasNext: false })
  })
})

describe('a list without pages', () => {
  it('is one request for all rows up to the limit', async () => {
    const { provider: own, sent } = provider(rows(300))
    const list = await own.getList({
      resource: 'job_runs',
      pagination: { mode: 'off' },
      meta: { limit: 500, count: 'none' },
    })
    expect(list).toMatchObject({ total: 300, hasNext: false })
    expect(sent).toHaveLength(1)
    expect(sent[0]?.url).toContain('limit=500')
  })

  it('tells that there are more rows than the limit', async () => {
    const { provider: own } = provider(inRange(2, 3))
    const list = await own.getList({
      resource: 'group_devices',
      pagination: { mode: 'off' },
      meta: { limit: 2 },
    })
    expect(list).toMatchObject({ total: 3, hasNext: true })
  })
})

describe('what meta says', () => {
  it('reads through a function, also without a text', async () => {
    const { provider: own, sent } = provider(inRange(1, 1))
    await own.getList({
      resource: 'group_devices',
      meta: { readBy: { name: 'search_group_candidates', args: { group_id: 'g' } } },
    })
    expect(sent[0]?.url).toContain('/rpc/search_group_candidates?group_id=g&q=&')
  })

  it('writes only what meets the conditions beside the key', async () => {
    const { provider: own, sent } = provider(rows(1))
    const meta = {
      companyId: 'acme',
      idColumnName: 'device_id',
      conditions: [{ field: 'group_id', operator: 'eq', value: 'g' }],
    }
    await own.deleteOne({ resource: 'group_devices', id: 'd', meta })
    await own.updateMany?.({ resource: 'group_devices', ids: ['d'], variables: { note: 1 }, meta })
    await own.update({ resource: 'group_devices', id: 'd', variables: { note: 1 }, meta })
    expect(sent).toHaveLength(3)
    for (const { url } of sent) {
      expect(url).toContain('company_id=eq.acme')
      expect(url).toContain('group_id=eq.g')
      expect(url).toContain('device_id=')
    }
  })

  it('creates by a function, and adds only rows that are not there yet', async () => {
    const { provider: own, sent } = provider(rows(1))
    await own.create({
      resource: 'enrollment_tokens',
      variables: { name: 'Rollout' },
      meta: { createBy: 'create_enrollment_token' },
    })
    await own.createMany?.({
      resource: 'group_devices',
      variables: [{ device_id: 'd' }],
      meta: { onConflict: 'group_id,device_id' },
    })
    expect(sent[0]).toMatchObject({ method: 'POST', body: { name: 'Rollout' } })
    expect(sent[0]?.url).toContain('/rpc/create_enrollment_token')
    expect(sent[1]?.url).toContain('/group_devices?on_conflict=group_id,device_id')
  })
})

it('reads many records by their ids in requests that a proxy takes', async () => {
  const { provider: own, sent } = provider(rows(1))
  const ids = Array.from({ length: 250 }, (_, index) => String(index))
  const answer = await own.getMany?.({ resource: 'devices', ids })
  expect(answer?.data).toHaveLength(3)
  expect(sent).toHaveLength(3)
})
