// @vitest-environment happy-dom
import { Refine, useParsed, useResourceParams } from '@refinedev/core'
import { cleanup, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { MemoryRouter } from 'react-router'
import { afterEach, describe, expect, it } from 'vitest'
import { routerProvider } from '@/refine/router-provider'

const resources = [
  { name: 'devices', list: '/devices', show: '/devices/:id' },
  {
    name: 'tickets',
    list: '/tickets',
    create: '/tickets/create-ticket',
    edit: '/tickets/:id/edit',
    show: '/tickets/:id',
  },
]

function parsed(path: string) {
  const wrapper = ({ children }: { children: ReactNode }) => (
    <MemoryRouter initialEntries={[path]}>
      <Refine routerProvider={routerProvider} resources={resources} options={{ disableTelemetry: true }}>
        {children}
      </Refine>
    </MemoryRouter>
  )
  const { result } = renderHook(() => ({ ...useParsed(), name: useResourceParams().resource?.name }), {
    wrapper,
  })
  const { name, action, id, params } = result.current
  return { name, action, id, params }
}

afterEach(cleanup)

describe('an address', () => {
  it.each([
    ['/devices', 'devices', 'list', undefined],
    ['/devices/7', 'devices', 'show', '7'],
    ['/devices/7/software', 'devices', 'show', '7'],
    ['/tickets/create-ticket', 'tickets', 'create', undefined],
    ['/tickets/7/edit', 'tickets', 'edit', '7'],
    ['/nowhere', undefined, undefined, undefined],
  ])('%s belongs to %s, %s', (path, name, action, id) => {
    expect(parsed(path)).toMatchObject({ name, action, id })
  })

  it('passes none of its parameters on: Refine would send them in `meta`', () => {
    expect(parsed('/devices?version=3&idColumnName=name&pageSize=9').params).toEqual({})
  })
})
