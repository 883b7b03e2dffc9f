// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { NextRunsTab } from '@/pages/schedules/next-runs-tab'
import { fakeData, render } from '../../support/render'

afterEach(cleanup)

describe('the next runs of a task that runs once', () => {
  it.each([
    ['missed', 'It was missed', /Edit the start to run it later, or run the script from its page/],
    ['done', 'It has run for the last time', /scheduled for one time only/],
  ])('say what became of it: %s', async (state, title, text) => {
    const data = fakeData()
    data.custom.mockResolvedValue({ data: [] } as never)
    const record = { id: 's', company_id: 'c', enabled: true, frequency: 'once', state }
    await render(<NextRunsTab record={record} resource="scheduled_tasks" />, { data, companyId: 'c' })
    expect(await screen.findByText(title)).toBeTruthy()
    expect(screen.getByText(text)).toBeTruthy()
  })
})
