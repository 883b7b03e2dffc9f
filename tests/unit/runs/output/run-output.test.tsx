// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { RunOutputView } from '@/runs/output/run-output'
import { render } from '../../../support/render'

afterEach(cleanup)

const NOTHING = {
  output: null,
  output_truncated: false,
  error: null,
  started_at: null,
  device: null,
  job: null,
}

async function open(status: string, read: object) {
  const run = { id: 'r', company_id: 'c', status }
  await render(<RunOutputView run={run} deviceName="ankara-01" height={100} />, {
    data: { getOne: async () => ({ data: { ...NOTHING, ...read } }) },
  })
}

it('says that a run canceled in the queue never ran', async () => {
  await open('cancelled', { error: 'cancelled' })
  expect(await screen.findByText('The script did not run.')).toBeTruthy()
})

it('says of a run that printed nothing that it printed nothing', async () => {
  await open('succeeded', { started_at: '2026-11-22T10:00:00Z' })
  expect(await screen.findByText('The script printed nothing.')).toBeTruthy()
})

it('says until when a queued run waits for an offline device', async () => {
  await open('queued', { device: { status: 'offline' }, job: { expires_at: '2026-11-23T10:00:00Z' } })
  expect(
    await screen.findByText(/The device is offline\. The run waits for it until 23 Nov 2026/),
  ).toBeTruthy()
})

it('says of a running script whose device is offline when that was last heard of', async () => {
  const device = { status: 'offline', offline_since: '2026-11-22T10:03:00Z' }
  await open('running', { device, started_at: '2026-11-22T10:00:00Z' })
  expect(
    await screen.findByText(/^The device is offline; its last word was on 22 Nov 2026, \d\d:03\.$/),
  ).toBeTruthy()
})

it('says nothing of an offline device once its run has ended', async () => {
  const device = { status: 'offline', offline_since: '2026-11-22T10:03:00Z' }
  await open('succeeded', { device, started_at: '2026-11-22T10:00:00Z' })
  expect(await screen.findByText('The script printed nothing.')).toBeTruthy()
  expect(screen.queryByText(/last word/)).toBeNull()
})
