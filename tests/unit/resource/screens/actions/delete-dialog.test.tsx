// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { LinkError } from '@/data/errors'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { DeleteDialog } from '@/resource/screens/actions/delete-dialog'
import { render } from '../../../../support/render'

afterEach(cleanup)

const scope = { companyId: 'acme', filter: {} }

async function open(resource: string, error?: Error) {
  const deleteMany = vi.fn(async () => {
    if (error) throw error
    return { data: [{ id: '1' }] }
  })
  const { user } = await render(
    <DeleteDialog
      definition={findDefinition(resource) as Definition}
      scope={scope}
      rows={[{ id: '1', name: 'Hardware' }]}
      onClose={() => undefined}
      onDone={() => undefined}
    />,
    { companyId: 'acme', data: { deleteMany } },
  )
  return () => user.click(screen.getByRole('button', { name: 'Delete' }))
}

describe('the question before a deletion', () => {
  it('names what goes along with the record', async () => {
    await open('ticket_categories')
    expect(screen.getByText('Also deleted with it: issue types.')).toBeTruthy()
    cleanup()
    await open('ticket_issues')
    expect(screen.queryByText(/Also deleted/)).toBeNull()
  })

  it('is followed by the records that hold it, if it is refused', async () => {
    const message =
      'update or delete on table "ticket_categories" violates foreign key constraint "k" on table "tickets"'
    const press = await open('ticket_categories', new LinkError(message, 'id', 'k'))
    await press()
    expect(await screen.findByText(/^Other records still refer to it: .*Tickets/i)).toBeTruthy()
  })
})
