// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { ApprovalNote } from '@/runs/start/approval-note'
import type { ChosenTarget } from '@/runs/targets/target-picker'
import { fakeData, render } from '../../../support/render'

const data = fakeData()
afterEach(cleanup)

const chosen = (count: number, args: object = { device_ids: ['d'] }) =>
  ({ selection: { count }, callOf: () => ({ name: 'x', args }) }) as unknown as ChosenTarget

const open = (answer: object, of: ChosenTarget) => {
  data.custom.mockReset()
  data.custom.mockResolvedValue({ data: answer } as never)
  return render(<ApprovalNote procedure={{ id: 'p', company_id: 'c' }} chosen={of} />, { data })
}
const asked = () => data.custom.mock.lastCall?.[0]

describe('ApprovalNote', () => {
  it('says how many of the devices will wait, of a target that the server counts too', async () => {
    const target = { kind: 'all', company_id: 'c' }
    await open({ devices: 3, number: 4, declined_by: null }, chosen(5, { target, call: 'run_procedure' }))
    expect(
      await screen.findByText(
        '3 of the 5 devices wait until a second person approves version 4 of the script.',
      ),
    ).toBeTruthy()
    expect(asked()).toMatchObject({ url: 'rpc/preview_approval', payload: { procedure_id: 'p', target } })
    cleanup()
    await open({ devices: 1, number: 4, declined_by: null }, chosen(1))
    expect(await screen.findByText(/^The device waits until a second person/)).toBeTruthy()
    expect(asked()).toMatchObject({ payload: { procedure_id: 'p', device_ids: ['d'] } })
  })

  it('says that a declined version will not run', async () => {
    await open({ devices: 2, number: 4, declined_by: 'Ada' }, chosen(2))
    expect(
      await screen.findByText('None of the 2 devices will run the script: Ada declined version 4.'),
    ).toBeTruthy()
  })

  it('says nothing where no device waits, and asks nothing without devices', async () => {
    await open({ devices: 0, number: 4, declined_by: null }, chosen(2))
    await waitFor(() => expect(data.custom).toHaveBeenCalled())
    expect(screen.queryByRole('alert')).toBeNull()
    cleanup()
    await open({}, chosen(0))
    expect(data.custom).not.toHaveBeenCalled()
  })
})
