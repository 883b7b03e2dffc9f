// @vitest-environment happy-dom
import { CanAccess, Refine, useCan } from '@refinedev/core'
import { QueryClient } from '@tanstack/react-query'
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Can } from '@/access/policy'
import { answerAccess, createAccessControlProvider } from '@/refine/access-control-provider'

afterEach(cleanup)

const only =
  (...verbs: string[]): Can =>
  (object, verb) =>
    object === 'devices' && verbs.includes(verb)
      ? { allowed: true }
      : { allowed: false, reason: verb === 'delete' ? 'read-only' : 'role' }

let painted: string[] = []

function Verbs() {
  const list = useCan({ resource: 'devices', action: 'list' })
  const remove = useCan({ resource: 'devices', action: 'delete' })
  painted.push(`${list.data?.can} ${remove.data?.can} ${remove.data?.reason}`)
  return (
    <CanAccess resource="devices" action="edit" fallback="read only">
      editable
    </CanAccess>
  )
}

it('Refine asks the permission map: its first paint holds the answer, and new permissions change it', async () => {
  painted = []
  const client = new QueryClient()
  const access = answerAccess(client, only('list', 'edit'))
  const { container } = render(
    <Refine
      accessControlProvider={createAccessControlProvider(only('list', 'edit'))}
      options={{ disableTelemetry: true, reactQuery: { clientConfig: client } }}
    >
      <Verbs />
    </Refine>,
  )
  expect(container.textContent).toBe('editable')
  expect([...new Set(painted)]).toEqual(['true false read-only'])

  act(() => access.update(only('list', 'delete')))
  await screen.findByText('read only')
  expect(painted.at(-1)).toBe('true true undefined')
})

it('an object that is no resource of Refine is asked by its own name', () => {
  const client = new QueryClient()
  const can: Can = (object) =>
    object === 'system-license' ? { allowed: true } : { allowed: false, reason: 'role' }
  answerAccess(client, can)
  const { container } = render(
    <Refine
      resources={[{ name: 'devices', list: '/devices' }]}
      accessControlProvider={createAccessControlProvider(can)}
      options={{ disableTelemetry: true, reactQuery: { clientConfig: client } }}
    >
      <CanAccess resource="system-license" action="list">
        license
      </CanAccess>
      <CanAccess resource="devices" action="list">
        devices
      </CanAccess>
    </Refine>,
  )
  expect(container.textContent).toBe('license')
})
