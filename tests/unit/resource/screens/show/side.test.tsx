// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import type { Can } from '@/access/policy'
import type { Definition } from '@/resource/language/definition.generated'
import { Side } from '@/resource/screens/show/side'
import { render } from '../../../../support/render'

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

const definition: Definition = {
  name: 'kiosks',
  fields: {
    name: { type: 'text' },
    floor: { type: 'number' },
    secret: { type: 'text', guard: { write: { object: 'kiosks', verb: 'assign' } } },
  },
  show: {
    side: {
      facts: { rows: ['floor secret'], edit: ['floor', 'secret'] },
      desk: { rows: ['name'], policy: { object: 'kiosks', verb: 'assign' } },
      others: { rows: ['name'], unless: { object: 'kiosks', verb: 'assign' } },
    },
  },
}
const record = { id: '1', company_id: 'acme', name: 'Lobby', floor: 2, secret: 'x', version: 5 }
const member: Can = (_object, verb) =>
  verb === 'assign' ? { allowed: false, reason: 'role' } : { allowed: true }

function show(isWide: boolean, can: Can, data = {}) {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) =>
      ({
        matches: query.includes('min-width') && isWide,
        addEventListener: () => undefined,
        removeEventListener: () => undefined,
      }) as unknown as MediaQueryList,
  )
  return render(<Side definition={definition} record={record} />, {
    companyId: 'acme',
    can,
    data: data as never,
  })
}
const titles = (role: string) => screen.queryAllByRole(role).map((each) => each.textContent ?? '')

it('shows a part by its permission, and another one to those without it', async () => {
  await show(true, () => ({ allowed: true }))
  expect(titles('heading')).toHaveLength(2)
  cleanup()
  await show(true, member)
  expect(titles('heading')).toHaveLength(2)
  expect(screen.getByText('Lobby')).toBeTruthy()
})

it('folds its parts on a narrow screen and shows the content of one that was opened', async () => {
  const { user } = await show(false, member)
  expect(screen.queryByText('Lobby')).toBeNull()
  const [, others] = document.querySelectorAll('summary')
  if (others) await user.click(others)
  await waitFor(() => expect(screen.getByText('Lobby')).toBeTruthy())
})

it('a fact is edited in place under its version, and only where the user may', async () => {
  const update = vi.fn(async () => ({ data: { ...record, floor: 3 } }))
  const { user } = await show(true, member, { update })
  const edits = screen.getAllByRole('button', { name: /^Edit/ })
  expect(edits).toHaveLength(1)
  if (edits[0]) await user.click(edits[0])
  const input = await screen.findByRole('spinbutton')
  await user.clear(input)
  await user.type(input, '3{Enter}')
  await waitFor(() =>
    expect(update).toHaveBeenCalledWith(
      expect.objectContaining({
        id: '1',
        variables: { floor: 3 },
        meta: expect.objectContaining({ version: 5 }),
      }),
    ),
  )
})
