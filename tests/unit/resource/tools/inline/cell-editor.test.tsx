// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { CellEditor } from '@/resource/tools/inline/cell-editor'
import { unchanged } from '@/resource/tools/inline/edit-queue'
import { render } from '../../../../support/render'

const getList = vi.fn()

const HARDWARE = '5b1d0f0e-0000-4000-8000-000000000001'
const NETWORK = '5b1d0f0e-0000-4000-8000-000000000002'
const definition: Definition = {
  name: 'tickets',
  title: '{subject}',
  fields: {
    subject: { type: 'text', required: true },
    priority: { type: 'enum', values: { low: 'gray', high: 'red' } },
    category_id: { type: 'relation', to: 'ticket_categories' },
    due_on: { type: 'date' },
    tags: { type: 'tags', suggestions: ['vpn', 'mail'] },
  },
}
const ROW = {
  id: '5b1d0f0e-0000-4000-8000-000000000009',
  subject: 'Printer',
  priority: 'low',
  category_id: HARDWARE,
  category_id_row: { id: HARDWARE, name: 'Hardware' },
  due_on: '2026-11-22',
  tags: ['vpn'],
}

async function edit(name: string) {
  const handlers = { onKeep: vi.fn(), onLeave: vi.fn() }
  const rendered = await render(
    <CellEditor
      definition={definition}
      name={name}
      field={definition.fields[name] as Field}
      row={unchanged(ROW)}
      {...handlers}
    />,
    { companyId: 'acme', data: { getList, getMany: () => new Promise(() => undefined) } },
  )
  return { ...rendered, ...handlers }
}
const options = () =>
  [...document.querySelectorAll('.ant-select-item-option-content')].map(({ textContent }) => textContent)

// Loaded with the first editor otherwise, and timed by the test.
beforeAll(async () => {
  await Promise.all(Object.values(import.meta.glob('/src/resource/fields/*/input.tsx')).map((load) => load()))
})
afterEach(() => {
  cleanup()
  getList.mockReset()
})

describe('the editor of a cell', () => {
  it('opens the choices of a related record at once, under its name and never its key', async () => {
    let answer: (list: object) => void = () => undefined
    getList.mockReturnValue(
      new Promise((resolve) => {
        answer = resolve
      }),
    )
    const { user, onKeep, container } = await edit('category_id')
    const box = await screen.findByRole('combobox')
    expect(box.getAttribute('aria-expanded')).toBe('true')
    expect(container.textContent).toContain('Hardware')
    expect(container.textContent).not.toContain(HARDWARE.slice(0, 8))
    answer({
      data: [
        { id: HARDWARE, name: 'Hardware' },
        { id: NETWORK, name: 'Network' },
      ],
      total: 2,
    })
    await waitFor(() => expect(options()).toContain('Network'))
    await user.click(screen.getByText('Network', { selector: '.ant-select-item-option-content' }))
    expect(onKeep).toHaveBeenCalledExactlyOnceWith(NETWORK, 'stay')
  })

  it.each(['priority', 'tags'])('opens the choices of %s at once', async (name) => {
    await edit(name)
    const box = await screen.findByRole('combobox')
    expect(box.getAttribute('aria-expanded')).toBe('true')
    await waitFor(() => expect(options().length).toBeGreaterThan(1))
  })

  it('opens the calendar of a day at once', async () => {
    await edit('due_on')
    await waitFor(() => expect(document.querySelector('.ant-picker-dropdown')).toBeTruthy())
  })

  it.each([
    ['5 Mart 2027', '2027-03-05'],
    ['31.02.2027', '31.02.2027'],
  ])('keeps the typed day %s as %s, and not the day before it', async (text, kept) => {
    const { user, onKeep } = await edit('due_on')
    const input = await screen.findByRole('textbox')
    await user.clear(input)
    await user.type(input, text)
    expect(onKeep).not.toHaveBeenCalled()
    await user.tab()
    expect(onKeep).toHaveBeenCalledExactlyOnceWith(kept, 'next')
  })

  it('keeps its value by a press elsewhere after a dialog has taken the focus away', async () => {
    const { user, onKeep } = await edit('tags')
    const box = await screen.findByRole('combobox')
    await waitFor(() => expect(document.activeElement).toBe(box))
    const dialog = document.createElement('div')
    dialog.className = 'ant-modal-root'
    dialog.innerHTML = '<button type="button">Create</button>'
    document.body.append(dialog)
    const button = dialog.querySelector('button') as HTMLButtonElement
    button.focus()
    await user.click(button)
    expect(onKeep).not.toHaveBeenCalled()
    dialog.remove()
    expect(document.activeElement).toBe(document.body)
    await user.click(document.body)
    expect(onKeep).toHaveBeenCalledExactlyOnceWith(['vpn'], 'none')
  })

  it('is left by Escape, with its choices open too', async () => {
    const { user, onKeep, onLeave } = await edit('priority')
    const box = await screen.findByRole('combobox')
    await waitFor(() => expect(document.activeElement).toBe(box))
    await user.keyboard('{Escape}')
    expect(onLeave).toHaveBeenCalledOnce()
    expect(onKeep).not.toHaveBeenCalled()
  })
})
