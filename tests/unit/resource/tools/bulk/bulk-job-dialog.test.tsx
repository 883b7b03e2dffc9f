// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Language } from '@/i18n/language'
import type { ConsoleMeta } from '@/refine/data-provider'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { BulkJobDialog } from '@/resource/tools/bulk/bulk-job-dialog'
import { render } from '../../../../support/render'

/** Answers a batch: `updateMany` with the function's name in `meta.batch`. */
const updateMany = vi.fn()
vi.mock('@/ui/leave-guard', () => ({
  LeaveGuard: ({ closing }: { closing?: { leave: () => void } | null }) =>
    closing ? (
      <button type="button" onClick={closing.leave}>
        Leave anyway
      </button>
    ) : null,
  isOtherList: () => false,
}))

const printers: Definition = {
  name: 'printers',
  label: { en: ['Printer', 'Printers'], tr: ['Yazıcı', 'Yazıcılar'] },
  fields: {
    name: { type: 'text', required: true, label: { en: 'Name', tr: 'Ad' } },
    note: {
      type: 'text',
      label: { en: 'Note', tr: 'Not' },
      help: { en: 'Leave empty for none.', tr: 'Boş bırakılabilir.' },
    },
    room: { type: 'text', label: { en: 'Room', tr: 'Oda' } },
    site: { type: 'text', required: true, label: { en: 'Site', tr: 'Yer' } },
    tray: { type: 'text', filled: true, label: { en: 'Tray', tr: 'Tepsi' } },
  },
}
const ROWS = ['1', '2'].map((id) => ({ id, name: `Printer ${id}` }))

async function open(language: Language = 'en') {
  const onClose = vi.fn()
  const { user } = await render(
    <BulkJobDialog
      definition={printers}
      scope={{ companyId: 'acme', filter: {} } as never}
      job={{ kind: 'edit' }}
      target={{ rows: ROWS }}
      ids={ROWS.map(({ id }) => id)}
      onClose={onClose}
    />,
    { language, companyId: 'acme', data: { updateMany } },
  )
  const choose = async (label: string) => {
    await user.click(screen.getByRole('combobox'))
    await user.click(await screen.findByText(label, { selector: '.ant-select-item-option-content' }))
  }
  return { user, onClose, choose }
}
const apply = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })

beforeEach(() => {
  updateMany.mockImplementation(({ ids }: { ids: string[] }) =>
    Promise.resolve({ data: ids.map((id) => ({ id, outcome: 'changed', reason: null })) }),
  )
})
afterEach(() => {
  cleanup()
  updateMany.mockReset()
})

describe('editing many rows at once', () => {
  it('asks before it forgets what was typed, and only then', async () => {
    const { user, onClose, choose } = await open()
    await choose('Note')
    await user.type(await screen.findByRole('textbox', { name: 'Note' }), 'Third floor')
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(onClose).not.toHaveBeenCalled()
    await user.click(screen.getByRole('button', { name: 'Leave anyway' }))
    expect(onClose).toHaveBeenCalledWith(false)
    cleanup()
    const untouched = await open()
    await untouched.user.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(untouched.onClose).toHaveBeenCalledWith(false)
  })

  it('shows no hint of the form of one record, where a field may be left empty', async () => {
    const { choose } = await open()
    await choose('Note')
    await screen.findByRole('textbox', { name: 'Note' })
    expect(screen.queryByText('Leave empty for none.')).toBeNull()
  })

  it('changes nothing until a field is chosen and has a value', async () => {
    const { user, choose } = await open()
    expect(apply().disabled).toBe(true)
    await choose('Note')
    const note = await screen.findByRole('textbox', { name: 'Note' })
    expect(apply().disabled).toBe(true)
    await user.type(note, 'x')
    expect(apply().disabled).toBe(false)
    await user.clear(note)
    expect(apply().disabled).toBe(true)
    expect(updateMany).not.toHaveBeenCalled()
  })

  it('clears a field only by the choice to clear it, and says so first', async () => {
    const { user, choose } = await open()
    await choose('Note')
    await choose('Room')
    await user.type(await screen.findByRole('textbox', { name: 'Room' }), 'B12')
    await user.click(screen.getByRole('checkbox', { name: 'Clear this field: Note' }))
    expect(screen.queryByRole('textbox', { name: 'Note' })).toBeNull()
    expect(screen.getByRole('status').textContent).toBe('clear Note and set Room to B12 in 2 printers.')
    await user.click(apply())
    const summary = await screen.findByRole('dialog', { name: '2 printers updated' })
    // The title says it: the summary must not say it again.
    expect(within(summary).queryByText('2 changed')).toBeNull()
    expect(updateMany).toHaveBeenCalledOnce()
    const { ids, meta } = updateMany.mock.calls[0]?.[0] ?? {}
    expect(ids).toEqual(['1', '2'])
    expect(meta.batch).toMatchObject({
      name: 'bulk_edit',
      args: { changes: { note: null, room: 'B12' } },
    })
  })

  it.each(['Site', 'Tray'])('does not offer to clear a field that no record is without: %s', async (name) => {
    const { choose } = await open()
    await choose(name)
    await screen.findByRole('textbox', { name })
    expect(screen.queryByRole('checkbox', { name: /Clear this field/ })).toBeNull()
  })

  it('does not offer what names a record', async () => {
    const { user } = await open()
    await user.click(screen.getByRole('combobox'))
    await screen.findByText('Site', { selector: '.ant-select-item-option-content' })
    expect(screen.queryByText('Name', { selector: '.ant-select-item-option-content' })).toBeNull()
  })

  it('says in Turkish what it is about to do', async () => {
    const { user, choose } = await open('tr')
    await choose('Not')
    await user.click(await screen.findByRole('checkbox', { name: 'Bu alanı temizle: Not' }))
    expect(screen.getByRole('status').textContent).toBe('2 yazıcı: Not alanı temizlenecek.')
  })
})

describe('undoing it', () => {
  it('is the same job over the rows that were changed, and tells what was kept', async () => {
    updateMany.mockImplementation(({ ids, meta }: { ids: string[]; meta: ConsoleMeta }) =>
      Promise.resolve({
        data: ids.map((id) => ({
          id,
          outcome: meta.batch?.name === 'bulk_edit' || id === '1' ? 'changed' : 'stale',
          reason: null,
        })),
      }),
    )
    const { user, choose, onClose } = await open()
    await choose('Room')
    await user.type(await screen.findByRole('textbox', { name: 'Room' }), 'B12')
    await user.click(apply())
    await user.click(await screen.findByRole('button', { name: 'Undo' }))
    expect(await screen.findByText('1 restored')).toBeTruthy()
    expect(screen.getByText('1 not restored: changed since')).toBeTruthy()
    expect(within(screen.getByRole('table')).getByRole('rowheader').textContent).toBe('Printer 2')
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
    const [edit, undo] = updateMany.mock.calls.map(([params]) => params)
    expect(undo.ids).toEqual(['1', '2'])
    expect(undo.meta.batch).toEqual({ name: 'bulk_undo', args: { job: edit.meta.batch.args.job } })
    await user.click(screen.getAllByRole('button', { name: 'Close' }).at(-1) as HTMLElement)
    expect(onClose).toHaveBeenCalledWith(true)
  })

  it('is not offered where nothing was changed', async () => {
    updateMany.mockImplementation(({ ids }: { ids: string[] }) =>
      Promise.resolve({ data: ids.map((id) => ({ id, outcome: 'same', reason: null })) }),
    )
    const { user, choose } = await open()
    await choose('Room')
    await user.type(await screen.findByRole('textbox', { name: 'Room' }), 'B12')
    await user.click(apply())
    expect(await screen.findByText('2 unchanged')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
  })
})

describe('deleting many rows at once', () => {
  const ask = (count: number) => {
    const rows = Array.from({ length: count }, (_, index) => ({
      id: String(index + 1),
      name: `Printer ${index + 1}`,
    }))
    return render(
      <BulkJobDialog
        definition={printers}
        scope={{ companyId: 'acme', filter: {} } as never}
        job={{ kind: 'delete' }}
        target={{ rows }}
        ids={rows.map(({ id }) => id)}
        onClose={() => undefined}
      />,
      { companyId: 'acme', data: { deleteMany: updateMany } },
    )
  }

  it('ends with a toast that takes it back, once every row was deleted', async () => {
    const onClose = vi.fn()
    const custom = vi.fn(async ({ url }: { url: string }) => ({
      data: url.includes('restore_records') ? [{ id: '1', outcome: 'changed', reason: null }] : [],
    }))
    const { user } = await render(
      <BulkJobDialog
        definition={{ ...printers, trash: true }}
        scope={{ companyId: 'acme', filter: {} } as never}
        job={{ kind: 'delete' }}
        target={{ rows: ROWS }}
        ids={ROWS.map(({ id }) => id)}
        onClose={onClose}
      />,
      { companyId: 'acme', data: { deleteMany: updateMany, custom } },
    )
    expect(screen.getByRole('dialog', { name: 'Delete 2 printers?' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Delete 2 rows' }))
    expect(await screen.findByText('2 printers deleted', { selector: '.k-toast-title' })).toBeTruthy()
    expect(onClose).toHaveBeenCalledWith(true)
    expect(screen.queryByText('2 deleted')).toBeNull()
    const toast = screen.getByRole('region', { name: 'Message' })
    await user.click(within(toast).getByRole('button', { name: 'Undo' }))
    expect(custom).toHaveBeenCalled()
  })

  it('keeps its summary where a row was refused', async () => {
    updateMany.mockImplementation(({ ids }: { ids: string[] }) =>
      Promise.resolve({
        data: ids.map((id) => ({ id, outcome: id === '1' ? 'changed' : 'gone', reason: null })),
      }),
    )
    const { user } = await ask(2)
    await user.click(screen.getByRole('button', { name: 'Delete 2 rows' }))
    expect(await screen.findByText('1 deleted')).toBeTruthy()
    expect(screen.getByText('1 no longer exists, or is not visible to you')).toBeTruthy()
  })

  it('names up to three records in its question', async () => {
    await ask(1)
    expect(await screen.findByText('Printer 1')).toBeTruthy()
    cleanup()
    await ask(3)
    expect(await screen.findByText('Printer 1, Printer 2 and Printer 3')).toBeTruthy()
    cleanup()
    await ask(4)
    await screen.findByRole('button', { name: 'Delete 4 rows' })
    expect(screen.queryByText(/Printer 1/)).toBeNull()
  })

  it('reads the names of a few rows that a filter found', async () => {
    const custom = vi.fn(async () => ({
      data: [{ resource: 'groups', id: 'g1', fields: { name: 'Servers' } }],
    }))
    const groups = findDefinition('groups') as Definition
    await render(
      <BulkJobDialog
        definition={groups}
        scope={{ companyId: 'acme', filter: {} } as never}
        job={{ kind: 'delete' }}
        target={{ matching: {} as never, of: undefined }}
        ids={['g1']}
        onClose={() => undefined}
      />,
      { companyId: 'acme', data: { custom } },
    )
    expect(await screen.findByText('Servers')).toBeTruthy()
  })
})
