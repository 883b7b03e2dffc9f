// @vitest-environment happy-dom
import {
  type DataProvider,
  Refine,
  useCustom,
  useInfiniteList,
  useList,
  useMany,
  useOne,
} from '@refinedev/core'
import { QueryClient } from '@tanstack/react-query'
import { cleanup, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, describe, expect, it } from 'vitest'
import { infiniteKey, type ListQuestion, listKey, manyKey, oneKey, resourceKey } from '@/refine/keys'

const dataProvider = {
  getApiUrl: () => '',
  getList: async () => ({ data: [], total: 0 }),
  getOne: async () => ({ data: { id: '1' } }),
  getMany: async () => ({ data: [] }),
  custom: async () => ({ data: {} }),
} as unknown as DataProvider

const LIST: ListQuestion = {
  resource: 'devices',
  meta: { table: 'devices', companyId: 'acme', select: 'id,name', count: 'none', cursor: null },
  filters: [{ field: 'status', operator: 'eq', value: 'online' }],
  sorters: [{ field: 'name', order: 'asc' }],
  pagination: { currentPage: 2, pageSize: 50 },
}

/** The key under which a hook keeps its answer. */
function keyOf(hook: () => unknown): readonly unknown[] | undefined {
  const client = new QueryClient()
  const wrapper = ({ children }: { children: ReactNode }) => (
    <Refine
      dataProvider={dataProvider}
      resources={[{ name: 'devices' }]}
      options={{ disableTelemetry: true, reactQuery: { clientConfig: client } }}
    >
      {children}
    </Refine>
  )
  renderHook(hook, { wrapper })
  return client
    .getQueryCache()
    .getAll()
    .map(({ queryKey }) => queryKey)
    .find(([first]) => first === 'data')
}

afterEach(cleanup)

describe('the keys of the cache', () => {
  it('are those of useList and useInfiniteList', () => {
    expect(keyOf(() => useList(LIST))).toEqual(listKey(LIST))
    expect(keyOf(() => useInfiniteList(LIST))).toEqual(infiniteKey(LIST))
  })

  it('are those of useOne and useMany', () => {
    const meta = { companyId: 'acme', select: '*' }
    expect(keyOf(() => useOne({ resource: 'devices', id: '7', meta }))).toEqual(oneKey('devices', '7', meta))
    const many = { resource: 'devices', ids: ['7', '8'], meta }
    expect(keyOf(() => useMany(many))).toEqual(manyKey(many))
  })

  it('begin with the resource, so that a write reads everything of it again', () => {
    const meta = {}
    for (const key of [listKey(LIST), infiniteKey(LIST), oneKey('devices', '7', meta)])
      expect(key.slice(0, 3)).toEqual(resourceKey('devices'))
    expect(keyOf(() => useCustom({ url: 'rpc/dashboard', method: 'post' }))?.[0]).toBe('data')
  })
})
