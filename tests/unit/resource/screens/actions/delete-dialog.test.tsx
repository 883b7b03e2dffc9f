// @vitest-environment happy-dom
import { useList } from '@refinedev/core'
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LinkError } from '@/data/errors'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { DeleteDialog } from '@/resource/screens/actions/delete-dialog'
import { render } from '../../../../support/render'

afterEach(cleanup)

const getMany = vi.fn<(question: object) => Promise<{ data: unknown[] }>>()

const scope = { companyId: 'acme', filter: {} }

async function open(resource: string, error?: Error, held: unknown[] = []) {
  const deleteMany = vi.fn(async () => {
    if (error) throw error
    return { data: [{ id: '1' }] }
  })
  getMany.mockResolvedValue({ data: held })
  const { user } = await render(
    <DeleteDialog
      definition={findDefinition(resource) as Definition}
      scope={scope}
      rows={[{ id: '1', name: 'Hardware' }]}
      onClose={() => undefined}
      onDone={() => undefined}
    />,
    { companyId: 'acme', data: { deleteMany, getMany } },
  )
  await screen.findByText(error || held.length === 0 ? /This cannot be undone|trash/ : /cannot be deleted/)
  return () => user.click(screen.getByRole('button', { name: 'Delete' }))
}

describe('the question before a deletion', () => {
  it('says that the trash keeps the record, and the toast takes the deletion back', async () => {
    const deleteMany = vi.fn(async () => ({ data: [{ id: '1', outcome: 'deleted', reason: null }] }))
    const custom = vi.fn(async () => ({ data: [{ id: '1', outcome: 'changed', reason: null }] }))
    const { user } = await render(
      <DeleteDialog
        definition={findDefinition('saved_commands') as Definition}
        scope={scope}
        rows={[{ id: '1', name: 'Uptime' }]}
        onClose={() => undefined}
        onDone={() => undefined}
      />,
      { companyId: 'acme', data: { deleteMany, custom } },
    )
    expect(screen.getByText('It moves to the trash. It can be restored within 30 days.')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Delete' }))
    expect(deleteMany).toHaveBeenCalledWith(
      expect.objectContaining({
        meta: expect.objectContaining({ batch: { name: 'bulk_delete', args: {} } }),
      }),
    )
    expect(await screen.findByText('Uptime was moved to the trash')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(custom).toHaveBeenCalledWith(
      expect.objectContaining({
        url: 'rpc/restore_records',
        payload: { resource: 'saved_commands', ids: ['1'] },
      }),
    )
    expect(await screen.findByText('Uptime was restored')).toBeTruthy()
  })

  it.each([
    [true, 1],
    [false, 2],
  ])(
    'on the page of the record (%s) has a list of the resource read %d times',
    async (isPageOfRecord, times) => {
      const getList = vi.fn(async () => ({ data: [], total: 0 }))
      const onDone = vi.fn()
      const definition = findDefinition('saved_commands') as Definition
      const Shown = () => {
        useList({ resource: 'saved_commands' })
        return null
      }
      const { user } = await render(
        <>
          <Shown />
          <DeleteDialog
            {...{ definition, scope, isPageOfRecord, onDone }}
            rows={[{ id: '1', name: 'Uptime' }]}
            onClose={() => undefined}
          />
        </>,
        {
          companyId: 'acme',
          data: {
            getList,
            deleteMany: async () => ({ data: [{ id: '1', outcome: 'deleted', reason: null }] }),
          },
        },
      )
      await user.click(screen.getByRole('button', { name: 'Delete' }))
      await waitFor(() => expect(onDone).toHaveBeenCalledOnce())
      expect(getList).toHaveBeenCalledTimes(times)
    },
  )

  it('names what goes along with the record', async () => {
    await open('ticket_categories')
    expect(
      screen.getByText(
        'Also deleted with it: assignment rules, canned replies, SLA policies, and issue types.',
      ),
    ).toBeTruthy()
    cleanup()
    await open('ticket_issues')
    expect(screen.queryByText(/Also deleted/)).toBeNull()
  })

  it('says what refers to the record before it is pressed, and cannot be pressed then', async () => {
    getMany.mockClear()
    await open('ticket_categories', undefined, [{ id: '1', holder_0: [{ count: 12 }] }])
    expect(getMany).toHaveBeenCalledTimes(1)
    expect(getMany).toHaveBeenCalledWith(
      expect.objectContaining({ meta: expect.objectContaining({ select: 'id,holder_0:tickets(count)' }) }),
    )
    expect(screen.queryByText(/Also deleted/)).toBeNull()
    expect(screen.getByRole('link', { name: 'Tickets: 12' }).getAttribute('href')).toBe(
      '/tickets?category_id=1',
    )
    expect(screen.getByText(/some that you cannot see/)).toBeTruthy()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Delete' }).disabled).toBe(true)
  })

  it('is followed by the records that hold it, if it is refused', async () => {
    const message =
      'update or delete on table "ticket_categories" violates foreign key constraint "k" on table "tickets"'
    const press = await open('ticket_categories', new LinkError(message, 'id', 'k'))
    await press()
    // Tickets have a trash, whose records hold it as well.
    expect(
      await screen.findByText(/^Other records still refer to it, possibly some in the trash: tickets/),
    ).toBeTruthy()
  })
})
