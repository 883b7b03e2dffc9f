// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { CheckError, OfflineError, toDataError } from '@/data/errors'
import type { Definition } from '@/resource/language/definition.generated'
import { RecordForm } from '@/resource/screens/form/record-form'
import { eventually } from '../../../../support/eventually'
import { render } from '../../../../support/render'

vi.mock('@/ui/leave-guard', () => ({ LeaveGuard: () => null }))

afterEach(cleanup)

const printers: Definition = {
  name: 'printers',
  fields: { name: { type: 'text' }, serial: { type: 'text', required: true, label: { en: 'Serial' } } },
  form: { sections: { main: ['name'] } },
}

async function save(error: Error, definition = printers) {
  const create = vi.fn<() => Promise<{ data: object }>>().mockRejectedValueOnce(error)
  create.mockResolvedValue({ data: { id: '1' } })
  const onSaved = vi.fn()
  const { user } = await render(
    <RecordForm definition={definition} onSaved={onSaved} onCancel={() => undefined} />,
    { companyId: 'acme', data: { create } },
  )
  await user.type(await screen.findByRole('textbox'), 'P1')
  const press = () => user.click(screen.getByRole('button', { name: 'Create' }))
  await press()
  return { press, onSaved }
}
const notice = async () =>
  (await within(document.querySelector('form') as HTMLElement).findByRole('alert')).textContent

describe('an error that no field of the form can show', () => {
  it('is above the form and names the field', async () => {
    const { press, onSaved } = await save(new CheckError('null value in column "serial"', '23502', 'serial'))
    expect(await notice()).toMatch(/^Not savedSerial: .+ This form does not show the field\.$/)
    expect(screen.getByRole<HTMLInputElement>('textbox').value).toBe('P1')
    await press()
    await eventually(() => expect(onSaved).toHaveBeenCalled())
    expect(screen.queryByText(/does not show the field/)).toBeNull()
  })

  it('is above the form when it is about no field', async () => {
    await save(new OfflineError('Failed to fetch'))
    expect(await notice()).toMatch(/^Not saved./)
  })

  it('is told once: the words of a trigger are not repeated beside the form', async () => {
    const words = 'This item is in repair.'
    await save(toDataError({ code: 'P0001', message: words }, 400))
    await screen.findByText(words)
    expect(screen.getAllByText(words)).toHaveLength(1)
    expect(screen.getAllByText('Not saved')).toHaveLength(1)
  })

  it('leaves the error of a shown field at the field', async () => {
    await save(new CheckError('too long', '23514', 'name'))
    await eventually(() => expect(document.querySelector('.ant-form-item-explain-error')).toBeTruthy())
    expect(screen.queryByText('Not saved')).toBeNull()
  })
})

describe('a time that overlaps another record', () => {
  const loans: Definition = {
    name: 'loans',
    fields: {
      item: { type: 'text', label: { en: 'Item' } },
      lent_on: { type: 'date', label: { en: 'Lent on' } },
      returned_on: { type: 'date', label: { en: 'Returned on' } },
    },
    no_overlap: { by: 'item', from: 'lent_on', until: 'returned_on' },
    form: { sections: { main: ['item lent_on'] } },
  }
  const refusal = toDataError({
    code: '23P01',
    message: 'conflicting key value violates exclusion constraint "loans_lent_on_no_overlap"',
    details: 'Key (company_id, item, daterange(lent_on, returned_on))=(…) conflicts with existing key (…).',
  })

  it('is told at the field where the time begins, with the fields to change', async () => {
    const { user } = await render(
      <RecordForm definition={loans} onSaved={vi.fn()} onCancel={() => undefined} />,
      { companyId: 'acme', data: { create: vi.fn<() => Promise<never>>().mockRejectedValue(refusal) } },
    )
    await user.type((await screen.findAllByRole('textbox'))[0] as HTMLElement, 'Camera')
    await user.click(screen.getByRole('button', { name: 'Create' }))
    await eventually(() =>
      expect(document.querySelector('.ant-form-item-explain-error')?.textContent).toBe(
        'Another record with the same value in “Item” overlaps this time. Change “Lent on” or “Returned on”.',
      ),
    )
  })
})

describe('a message of the definition', () => {
  const message = { en: 'Ours begin with P.', tr: 'Bizimkiler P ile başlar.' }
  const named: Definition = {
    ...printers,
    fields: { name: { type: 'text', check: { _contains: 'P' }, message } },
  }

  it('is said by the form, and where only the database finds the mistake', async () => {
    await save(new CheckError('violates', '23514', undefined, 'printers_name_check01'), named)
    expect(await screen.findByText(message.en)).toBeTruthy()
    cleanup()
    const { user } = await render(
      <RecordForm definition={named} onSaved={vi.fn()} onCancel={() => undefined} />,
      { companyId: 'acme', data: {} },
    )
    await user.type(await screen.findByRole('textbox'), 'X1')
    await user.tab()
    expect(await screen.findByText(message.en)).toBeTruthy()
  })

  it('is not said for a value that is missing', async () => {
    await save(new CheckError('null value', '23502', 'name'), named)
    await eventually(() => expect(document.querySelector('.ant-form-item-explain-error')).toBeTruthy())
    expect(screen.queryByText(message.en)).toBeNull()
  })
})

describe('a value that is compared with a related record', () => {
  const assigned: Definition = {
    name: 'assignments',
    fields: {
      license_id: { type: 'relation', to: 'software_licenses', label: { en: 'License' } },
      seats: { type: 'number', check: { _lte: '$record.license_id.seats' }, label: { en: 'Places' } },
    },
    form: { sections: { main: ['license_id seats'] } },
  }
  const row = { id: '1', company_id: 'acme', version: 1, license_id: 'l1', seats: 4 }
  const said = 'Places must not be more than License · Seats.'

  it('is refused at its field as soon as it is read, and in the same words by the database', async () => {
    const getMany = vi.fn<(question: { meta: { select: string } }) => Promise<object>>()
    getMany.mockImplementation(async () => ({ data: [{ id: 'l1', name: 'Office', seats: 5 }] }))
    const update = vi
      .fn()
      .mockRejectedValue(new CheckError('violates', '23514', undefined, 'assignments_seats_check03'))
    const { user } = await render(
      <RecordForm definition={assigned} record={row} onSaved={vi.fn()} onCancel={() => undefined} />,
      { companyId: 'acme', data: { getMany, update } },
    )
    const input = await screen.findByRole('spinbutton')
    expect(getMany.mock.calls.some(([{ meta }]) => meta.select.includes('seats'))).toBe(true)
    await user.clear(input)
    await user.type(input, '6')
    await user.tab()
    expect(await screen.findByText(said)).toBeTruthy()
    await user.clear(input)
    await user.type(input, '5')
    await user.tab()
    await eventually(() => expect(screen.queryByText(said)).toBeNull())
    await user.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText(said)).toBeTruthy()
    expect(update).toHaveBeenCalledOnce()
  })

  it('says how many records of others would break', async () => {
    const error = toDataError({
      code: '23514',
      message:
        'column "name" of relation "printers" violates check constraint "tickets_x_check03" in 3 records of "tickets"',
    })
    await save(error)
    expect(await screen.findByText(/^3 records in Tickets would break their own rule/)).toBeTruthy()
  })
})

describe('a value that another record has', () => {
  const unique: Definition = { ...printers, fields: { name: { type: 'text', unique: true } } }

  it('is told at its field while it is typed, and never for the record itself', async () => {
    const custom = vi.fn(async ({ payload }: { payload?: { record: { name: string } } }) => ({
      data: payload?.record.name === 'OFFICE',
    }))
    const row = { id: '1', company_id: 'acme', name: 'Hall', version: 1 }
    const { user } = await render(
      <RecordForm definition={unique} record={row} onSaved={vi.fn()} onCancel={() => undefined} />,
      { companyId: 'acme', data: { custom: custom as never } },
    )
    const input = await screen.findByRole('textbox')
    expect(custom).not.toHaveBeenCalled()
    await user.clear(input)
    await user.type(input, 'OFFICE')
    expect(await screen.findByText('This value is already in use.')).toBeTruthy()
    expect(custom).toHaveBeenCalledOnce()
    expect(custom.mock.calls[0]?.[0].payload).toEqual({
      resource: 'printers',
      fields: ['company_id', 'name'],
      record: { company_id: 'acme', name: 'OFFICE' },
      except_id: '1',
    })
    await user.type(input, ' 2')
    await eventually(() => expect(screen.queryByText('This value is already in use.')).toBeNull())
  })
})
