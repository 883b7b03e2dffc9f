// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Can } from '@/access/policy'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { ChildLists, useChildren } from '@/resource/screens/form/children/child-lists'
import { eventually } from '../../../../support/eventually'
import { fakeData, render } from '../../../../support/render'

afterEach(cleanup)

const categories = findDefinition('ticket_categories') as Definition
const category = { id: 'c1', company_id: 'acme', name: 'Hardware' }
const issue = (id: string, name: string) => ({
  ...{ id, name, priority: 'normal', description: null, category_id: 'c1', company_id: 'acme', version: 3 },
})

function Form({ onSaved }: { onSaved: (refused: string | null) => void }) {
  const children = useChildren()
  const save = async () => {
    if (children.check()) onSaved(await children.save(category))
    else onSaved('unchecked')
  }
  return (
    <>
      <ChildLists
        definition={categories}
        record={category}
        companyId={null}
        disabled={false}
        register={children.register}
      />
      <button type="button" onClick={() => void save()}>
        Save
      </button>
    </>
  )
}

async function open({ can, answers = [] }: { can?: Can; answers?: object[] } = {}) {
  const data = fakeData()
  data.getList.mockResolvedValue({ data: [issue('i1', 'Keyboard'), issue('i2', 'Screen')], total: 2 })
  data.custom.mockResolvedValue({ data: answers })
  const onSaved = vi.fn()
  const { user } = await render(<Form onSaved={onSaved} />, {
    companyId: 'acme',
    data,
    ...(can ? { can } : {}),
  })
  const save = async () => {
    await user.click(screen.getByRole('button', { name: 'Save' }))
    await eventually(() => expect(onSaved).toHaveBeenCalled())
    return onSaved.mock.lastCall?.[0]
  }
  return { data, user, save }
}

const row = async (name: string) => within(await screen.findByRole('group', { name }))
const nameIn = async (group: string) =>
  (await (await row(group)).findByRole('textbox', { name: 'Name' })) as HTMLInputElement
const type = (input: HTMLInputElement, value: string) => fireEvent.change(input, { target: { value } })

describe('the children of a record in its form', () => {
  it('are written together: changed, added and removed', async () => {
    const { data, user, save } = await open()
    expect((await nameIn('Keyboard')).value).toBe('Keyboard')
    expect(data.getList.mock.lastCall?.[0]).toMatchObject({
      resource: 'ticket_issues',
      filters: [{ field: 'category_id', operator: 'eq', value: 'c1' }],
    })
    type(await nameIn('Keyboard'), 'Keys')
    await user.click(screen.getByRole('button', { name: 'Remove Screen' }))
    expect(screen.getByText(/1 will be deleted when you save/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Add issue type' }))
    type(await nameIn('Issue type 2'), 'Mouse')
    expect(await save()).toBeNull()
    expect(data.custom.mock.lastCall?.[0]).toMatchObject({
      url: 'rpc/save_children',
      payload: {
        resource: 'ticket_issues',
        by: 'category_id',
        parent: 'c1',
        rows: [
          { id: 'i1', version: 3, changes: { name: 'Keys' } },
          { id: 'i2', version: 3, remove: true },
          { changes: { name: 'Mouse', priority: 'normal', company_id: 'acme' } },
        ],
      },
    })
  })

  it('are not written while one is wrong, nor if none was changed', async () => {
    const { data, user, save } = await open()
    await nameIn('Keyboard')
    expect(await save()).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Add issue type' }))
    expect(await save()).toBe('unchecked')
    expect((await row('Issue type 3')).getByRole('alert').textContent).toBe('Required: Name.')
    expect((await nameIn('Issue type 3')).getAttribute('aria-invalid')).toBe('true')
    expect(data.custom).not.toHaveBeenCalled()
  })

  it('are checked row by row, when the user goes on to another one', async () => {
    const { user } = await open()
    await user.click(screen.getByRole('button', { name: 'Add issue type' }))
    await nameIn('Issue type 3')
    expect((await row('Issue type 3')).queryByRole('alert')).toBeNull()
    await user.click(await nameIn('Issue type 3'))
    await user.click(await nameIn('Keyboard'))
    expect((await row('Issue type 3')).getByRole('alert').textContent).toBe('Required: Name.')
    expect((await row('Keyboard')).queryByRole('alert')).toBeNull()
  })

  it('keep what was typed when the database refuses a row, which says why', async () => {
    const reason = {
      code: '23505',
      message: 'duplicate key',
      details: 'Key (company_id, name_key)=(a, b) already exists.',
    }
    const { user, save } = await open({
      answers: [
        { place: 0, id: 'i1', outcome: 'refused', reason },
        { place: 1, id: 'i2', outcome: 'stale', reason: null },
      ],
    })
    type(await nameIn('Keyboard'), 'Screen')
    type(await nameIn('Screen'), 'Monitor')
    expect(await save()).toBe('Issue types')
    expect((await nameIn('Keyboard')).value).toBe('Screen')
    expect((await row('Keyboard')).getByRole('alert').textContent).toMatch(/already/)
    expect((await row('Screen')).getByRole('alert').textContent).toMatch(/^Somebody else changed this/)
    await user.click(screen.getByRole('button', { name: 'Load theirs' }))
    expect((await nameIn('Screen')).value).toBe('Screen')
  })

  it('follow the permissions of their own resource', async () => {
    const may =
      (...verbs: string[]): Can =>
      (_object, verb) =>
        verbs.includes(verb) ? { allowed: true } : { allowed: false, reason: 'role' }
    await open({ can: may('list') })
    expect((await nameIn('Keyboard')).disabled).toBe(true)
    expect(screen.queryByRole('button', { name: /Add|Remove/ })).toBeNull()
    cleanup()
    const { data } = await open({ can: may() })
    expect(data.getList).not.toHaveBeenCalled()
    expect(screen.queryByText('Issue types')).toBeNull()
  })
})
