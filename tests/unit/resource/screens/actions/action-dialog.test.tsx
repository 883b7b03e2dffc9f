// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { toDataError } from '@/data/errors'
import type { Action, Definition } from '@/resource/language/definition.generated'
import { embedKey } from '@/resource/language/embed-keys'
import { findDefinition } from '@/resource/language/registry'
import { actionFields, isOffered, type NamedAction } from '@/resource/request/filter/actions'
import { ActionDialog } from '@/resource/screens/actions/action-dialog'
import { eventually } from '../../../../support/eventually'
import { render } from '../../../../support/render'

afterEach(cleanup)

it('marks what an action needs', async () => {
  const definition: Definition = { name: 'printers', title: '{serial}', fields: { serial: { type: 'text' } } }
  const named: NamedAction = {
    name: 'retire',
    action: {
      on: ['row'],
      rpc: 'retire_printers',
      params: {
        reason: { type: 'text', required: true, label: { en: 'Reason' } },
        note: { type: 'text', label: { en: 'Note' } },
      },
    },
    object: 'printers',
    verb: 'retire',
  }
  await render(
    <ActionDialog
      definition={definition}
      scope={{ filter: {} } as never}
      named={named}
      rows={[{ id: '1', serial: 'P-7' }]}
      onClose={() => undefined}
      onDone={() => undefined}
    />,
    { companyId: 'acme' },
  )
  const mark = (label: string) =>
    screen.getByText(label).closest('label')?.classList.contains('ant-form-item-required')
  expect([mark('Reason'), mark('Note')]).toEqual([true, false])
})

it('marks all fields of which one is to be given, until one of them is', async () => {
  const definition: Definition = { name: 'printers', title: '{serial}', fields: { serial: { type: 'text' } } }
  const custom = async () => {
    throw toDataError({ code: '23514', message: 'nobody is asked (column "person" or column "team")' }, 400)
  }
  const { user } = await render(
    <ActionDialog
      definition={definition}
      scope={{ filter: {} } as never}
      named={{
        name: 'ask',
        action: {
          on: ['row'],
          rpc: 'ask_for_printers',
          params: {
            person: { type: 'text', label: { en: 'Person' } },
            team: { type: 'text', label: { en: 'Team' } },
            note: { type: 'text', label: { en: 'Note' } },
          },
        },
        object: 'printers',
        verb: 'ask',
      }}
      rows={[{ id: '1', serial: 'P-7' }]}
      onClose={() => undefined}
      onDone={() => undefined}
    />,
    { companyId: 'acme', data: { custom } },
  )
  const marked = () =>
    ['Person', 'Team', 'Note'].filter((label) =>
      screen.getByLabelText(label).closest('.ant-form-item')?.classList.contains('ant-form-item-has-error'),
    )
  await user.click(screen.getByRole('button', { name: 'Ask' }))
  await eventually(() => expect(marked()).toEqual(['Person', 'Team']))
  await user.type(screen.getByLabelText('Team'), 'Desk')
  await eventually(() => expect(marked()).toEqual([]))
})

it('names the record, and draws no box of fields for an action without any', async () => {
  const definition: Definition = { name: 'job_runs', title: '{script} · {device}', fields: {} }
  const named: NamedAction = {
    name: 'cancel_run',
    action: { on: ['row'], rpc: 'cancel_run' },
    object: 'job_runs',
    verb: 'cancel',
  }
  const onDone = vi.fn()
  const { user } = await render(
    <ActionDialog
      definition={definition}
      scope={{ filter: {} } as never}
      named={named}
      rows={[{ id: '1', script: 'Clean up', device: 'ankara-01' }]}
      onClose={() => undefined}
      onDone={onDone}
    />,
  )
  expect(screen.getByRole('dialog').textContent).toContain('Clean up · ankara-01')
  expect(document.querySelector('fieldset')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Stop run' }))
  await eventually(() => expect(onDone).toHaveBeenCalledOnce())
  expect(await screen.findByText('Stop requested')).toBeTruthy()
})

it('shows the fields that an action names, of the record and of a related one', async () => {
  const approvals = findDefinition('ticket_approvals')
  const approve = approvals?.actions?.approve
  if (!approvals || !approve) throw new Error('no action')
  const row = {
    id: '1',
    step: 1,
    status: 'asked',
    person_id: 'me',
    role: null,
    question: 'May Deniz have a second screen?\nIt costs 300.',
    [embedKey('ticket_id')]: { id: '2', number: 43, subject: 'Screen', requester_name: 'Deniz Kaya' },
  }
  await render(
    <ActionDialog
      definition={approvals}
      scope={{ filter: { user: { id: 'me' } } } as never}
      named={{ name: 'approve', action: approve, object: 'ticket_approvals', verb: 'approve' }}
      rows={[row]}
      onClose={() => undefined}
      onDone={() => undefined}
    />,
    { companyId: 'acme', data: { getOne: async () => ({ data: row }) } },
  )
  const facts = [...(await screen.findByRole('dialog')).querySelectorAll('dl > div')].map((fact) => [
    fact.querySelector('dt')?.textContent,
    fact.querySelector('dd')?.textContent,
  ])
  expect(facts).toEqual([
    ['Requester', 'Deniz Kaya'],
    ['Question', 'May Deniz have a second screen?\nIt costs 300.'],
  ])
  expect(actionFields(approvals)).toEqual(expect.arrayContaining(['question', 'ticket_id.requester_name']))
})

it('asks before a ticket is resolved that has an undecided approval, and says so', async () => {
  const tickets = findDefinition('tickets')
  const ask = tickets?.actions?.resolve_unfinished
  const resolve = tickets?.actions?.resolve
  if (!tickets || !ask || !resolve) throw new Error('no action')
  const row = { id: '1', number: 7, subject: 'Screen', status: 'waiting', subticket_count: 0 }
  const offered = (action: Action, unfinished: string | null) =>
    isOffered(tickets, action, { ...row, unfinished }, {})
  expect([offered(resolve, null), offered(resolve, 'approval')]).toEqual([true, false])
  expect([offered(ask, null), offered(ask, 'approval')]).toEqual([false, true])
  const press = async (name: string, action: Action, known: string | null, now: string | null) => {
    const rpc = vi.fn()
    const custom = async (asked: unknown) => {
      if (JSON.stringify(asked).includes('resolve_effects')) return { data: { approvals: 1, checklist: 2 } }
      rpc(asked)
      return { data: null }
    }
    const { user } = await render(
      <ActionDialog
        definition={tickets}
        scope={{ filter: {} } as never}
        named={{ name, action, object: 'tickets', verb: 'assign' }}
        rows={[{ ...row, unfinished: known }]}
        onClose={() => undefined}
        onDone={() => undefined}
      />,
      {
        companyId: 'acme',
        data: { getOne: async () => ({ data: { ...row, unfinished: now } }), custom },
      },
    )
    return { user, rpc }
  }
  const { user, rpc } = await press('resolve_unfinished', ask, 'both', 'both')
  await screen.findByText('1 open approval is canceled')
  expect(screen.getByText('2 checklist items are left open')).toBeTruthy()
  expect(screen.getByRole('dialog').textContent).toContain('Approval, checklist')
  expect(rpc).not.toHaveBeenCalled()
  await user.click(screen.getByRole('button', { name: 'Resolve' }))
  await eventually(() => expect(rpc).toHaveBeenCalledOnce())
  cleanup()

  // The approval was decided since the page was read: nothing is left to ask.
  const decided = await press('resolve_unfinished', ask, 'approval', null)
  await eventually(() => expect(decided.rpc).toHaveBeenCalledOnce())
  expect(screen.queryByRole('dialog')).toBeNull()
  cleanup()

  // The approval was asked for since the page was read.
  const asked = await press('resolve', resolve, null, 'approval')
  expect((await screen.findByRole('dialog')).textContent).toContain('Needs approval')
  expect(asked.rpc).not.toHaveBeenCalled()
})

it('says that an action is not offered any more', async () => {
  const tickets = findDefinition('tickets')
  const action = tickets?.actions?.resolve_unfinished
  if (!tickets || !action) throw new Error('no action')
  const onClose = vi.fn()
  const row = { id: '1', number: 7, subject: 'Screen', subticket_count: 0, unfinished: 'approval' }
  await render(
    <ActionDialog
      definition={tickets}
      scope={{ filter: {} } as never}
      named={{ name: 'resolve_unfinished', action, object: 'tickets', verb: 'assign' }}
      rows={[{ ...row, status: 'open' }]}
      onClose={onClose}
      onDone={() => undefined}
    />,
    { companyId: 'acme', data: { getOne: async () => ({ data: { ...row, status: 'closed' } }) } },
  )
  await eventually(() => expect(onClose).toHaveBeenCalledOnce())
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(await screen.findByText('Not available for this record now')).toBeTruthy()
})

it('marks the field that the database refuses, and says why beside it', async () => {
  const tickets = findDefinition('tickets')
  const action = tickets?.actions?.request_approval
  if (!tickets || !action) throw new Error('no action')
  const onDone = vi.fn()
  const { user } = await render(
    <ActionDialog
      definition={tickets}
      scope={{ filter: {} } as never}
      named={{ name: 'request_approval', action, object: 'tickets', verb: 'assign' }}
      rows={[{ id: '1', number: 7, subject: 'Screen' }]}
      onClose={() => undefined}
      onDone={onDone}
    />,
    {
      companyId: 'acme',
      data: {
        custom: () =>
          Promise.reject(
            toDataError({
              code: '23514',
              hint: 'approval_nobody',
              message: 'the approval cannot be asked for: approval_nobody (column "person_id")',
            }),
          ),
      },
    },
  )
  await user.click(screen.getByRole('button', { name: 'Request approval' }))
  const problem = await screen.findByText('Choose a person or a role.')
  const item = problem.closest('.ant-form-item')
  expect(item?.querySelector('label')?.textContent).toBe('Person')
  expect(item?.classList.contains('ant-form-item-has-error')).toBe(true)
  expect(onDone).not.toHaveBeenCalled()
})

it('leaves the chosen records out of a picker of the same resource', async () => {
  const tickets = findDefinition('tickets')
  const action = tickets?.actions?.merge
  if (!tickets || !action) throw new Error('no action')
  const asked: unknown[] = []
  const { user } = await render(
    <ActionDialog
      definition={tickets}
      scope={{ filter: {} } as never}
      named={{ name: 'merge', action, object: 'tickets', verb: 'assign' }}
      rows={[
        { id: '1', number: 7, subject: 'Screen' },
        { id: '2', number: 8, subject: 'Mouse' },
      ]}
      onClose={() => undefined}
      onDone={() => undefined}
    />,
    {
      companyId: 'acme',
      data: {
        getList: async ({ filters }: { filters: unknown }) => {
          asked.push(filters)
          return { data: [], total: 0 }
        },
      } as never,
    },
  )
  await user.click(await screen.findByRole('combobox'))
  await eventually(() => expect(JSON.stringify(asked)).toContain('["1","2"]'))
})

async function openOverTwo(name: string, counts: Record<string, number>) {
  const tickets = findDefinition('tickets')
  const action = tickets?.actions?.[name]
  if (!tickets || !action) throw new Error('no action')
  const custom = vi.fn(async () => ({ data: counts }))
  await render(
    <ActionDialog
      definition={tickets}
      scope={{ filter: {} } as never}
      named={{ name, action, object: 'tickets', verb: 'assign' }}
      rows={[
        { id: '1', number: 1, subject: 'One' },
        { id: '2', number: 2, subject: 'Two' },
      ]}
      onClose={() => undefined}
      onDone={() => undefined}
    />,
    { companyId: 'acme', data: { custom } },
  )
  return custom
}

it('says before a ticket is resolved what it leaves open, and of an approval only where one is', async () => {
  await openOverTwo('resolve_unfinished', {
    approvals: 0,
    checklist: 2,
    subtickets: 0,
    unfinished_subtickets: 0,
  })
  expect(await screen.findByText('2 checklist items are left open')).toBeTruthy()
  expect(screen.getByText('Not everything is done yet.')).toBeTruthy()
  expect(screen.queryByText(/approval/i)).toBeNull()
})

it('lists what an action does to other records, as its function counts it', async () => {
  const custom = await openOverTwo('merge', { comments: 3, files: 0, approvals: 1 })
  expect(await screen.findByText('3 comments move')).toBeTruthy()
  expect(screen.getByText('1 open approval is canceled')).toBeTruthy()
  expect(screen.queryByText(/attachments? moves?/)).toBeNull()
  expect(JSON.stringify(custom.mock.calls)).toContain('merge_effects')
})

it('is offered for an approval to whoever is asked, by name or by their role', () => {
  const approvals = findDefinition('ticket_approvals')
  const offered = (row: Record<string, unknown>) =>
    isOffered(
      approvals as Definition,
      approvals?.actions?.approve as Action,
      { id: '1', status: 'asked', person_id: null, role: null, ...row },
      { user: { id: 'me', role: 'Teknik' } },
    )
  expect(offered({ person_id: 'me' })).toBe(true)
  expect(offered({ role: 'Teknik' })).toBe(true)
  expect(offered({ person_id: 'somebody' })).toBe(false)
  expect(offered({ role: 'Admin' })).toBe(false)
})
