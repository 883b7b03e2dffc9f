// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import type { NamedAction } from '@/resource/request/filter/actions'
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
