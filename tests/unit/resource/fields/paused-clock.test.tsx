// @vitest-environment happy-dom
import { cleanup } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { FieldCell } from '@/resource/fields/cells'
import type { Field } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { buildSelect } from '@/resource/request/query/select'
import { render } from '../../../support/render'

afterEach(cleanup)

const tickets = findDefinition('tickets')
const DUE = '2020-01-01T09:00:00Z'

/** `text` is what the cell shows once its code is there. */
async function textOf(
  name: string,
  value: string,
  row: Record<string, unknown>,
  { dense = true, text: shown = /./ } = {},
) {
  const { container } = await render(
    <FieldCell
      name={name}
      resource="tickets"
      value={value}
      field={tickets?.fields[name] as Field}
      row={{ [name]: value, ...row }}
      dense={dense}
    />,
  )
  await expect.poll(() => container.textContent).toMatch(shown)
  const { textContent: text, innerHTML: html } = container
  cleanup()
  return { text, html }
}

it('a due of a clock that stands still says so, with its moment on hover or beside it', async () => {
  const waiting = { status: 'waiting', due_at: null }
  const cell = await textOf('solution_due_at', DUE, waiting)
  expect(cell.text).toBe('Paused')
  expect(cell.html).toMatch(/title="[^"]*2020/)
  expect((await textOf('solution_due_at', DUE, waiting, { dense: false })).text).toMatch(/^Paused · .*2020/)
  expect((await textOf('solution_due_at', DUE, { status: 'closed', due_at: null })).text).not.toContain(
    'Paused',
  )
  // No pause moves a date that was typed by hand.
  expect((await textOf('solution_due_at', DUE, { status: 'waiting', due_at: DUE })).text).not.toContain(
    'Paused',
  )
})

it('a value that a clock decides says that the clock stands still', async () => {
  expect((await textOf('sla_state', 'ok', { status: 'waiting', due_at: null })).text).toBe(
    'On track · paused',
  )
  expect((await textOf('sla_state', 'ok', { status: 'open', due_at: null })).text).toBe('On track')
  expect((await textOf('sla_state', 'none', { status: 'waiting', due_at: null })).text).toBe('No target')
})

it('a list reads what decides over the pause', () => {
  const definition = {
    name: 'repairs',
    fields: {
      due_at: { type: 'datetime', countdown: true, paused_when: { held_at: { _null: false } } },
      state: { type: 'enum', values: { ok: 'green' }, paused_when: { stopped: { _eq: true } } },
      held_at: { type: 'datetime' },
      stopped: { type: 'boolean' },
    },
  } as const
  const columns = buildSelect(definition as never, ['due_at', 'state'], () => null).split(',')
  expect(columns).toEqual(expect.arrayContaining(['held_at', 'stopped']))
})

it('a list shows the earliest deadline that counts down, by its name', async () => {
  const late = { first_response_due_at: '2019-12-31T09:00:00Z', first_responded_at: null, due_at: null }
  const later = new Date(Date.now() + 5 * 86_400_000).toISOString()
  const open = { status: 'open', ...late }
  const cell = await textOf('solution_due_at', later, open, { text: /overdue.*First response due/ })
  expect(cell.html).toContain('2019-12-31T09:00:00Z')
  // Everywhere else the two deadlines are beside each other.
  expect((await textOf('solution_due_at', later, open, { dense: false })).text).toMatch(/left$/)
  const answered = { ...open, first_responded_at: '2019-12-30T09:00:00Z' }
  expect((await textOf('solution_due_at', later, answered)).text).toMatch(/left$/)
  // A paused clock is not late.
  expect((await textOf('solution_due_at', later, { ...open, status: 'waiting' })).text).toBe('Paused')
})

it('a list reads the other deadlines with what decides over them', () => {
  const columns = buildSelect(tickets as never, ['solution_due_at'], () => null).split(',')
  expect(columns).toEqual(expect.arrayContaining(['first_response_due_at', 'first_responded_at']))
})
