// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it } from 'vitest'
import { ChangeTable } from '@/resource/fields/diff/change-table'
import { mentioned } from '@/resource/fields/diff/changes'
import { readChanges } from '@/resource/fields/diff/kind'
import { findDefinition } from '@/resource/language/registry'
import { render } from '../../../support/render'

afterEach(cleanup)

async function rows(resource: string, action: string, values: Record<string, [unknown, unknown]>) {
  const definition = findDefinition(resource)
  if (!definition) throw new Error(`no resource ${resource}`)
  const changes = readChanges(values, definition)
  await render(
    <ChangeTable
      changes={changes}
      definition={definition}
      resource={resource}
      label="Changes"
      action={action}
      records={({ id }) => ({ id, name: `Name of ${id}` })}
    />,
    { companyId: 'c' },
  )
  await screen.findByRole('table')
  const [, ...body] = screen.getAllByRole('row')
  return {
    mentioned: mentioned(definition, changes),
    cells: body.map((row) => [...row.children].map((cell) => cell.textContent?.trim())),
  }
}

describe('the table of changes', () => {
  it('names the devices of a schedule, and leaves out what a task that runs once has not', async () => {
    const { cells, mentioned: asked } = await rows('scheduled_tasks', 'create', {
      name: [null, 'Once'],
      target: [null, { kind: 'devices', device_ids: ['d1', 'd2'] }],
      target_kind: [null, 'devices'],
      frequency: [null, 'once'],
      time_of_day: [null, '09:00'],
      month_week: [null, 'first'],
      month_weekday: [null, 'mon'],
    })
    expect(cells).toEqual([
      ['Name', 'Once'],
      ['Runs on', 'Name of d1, Name of d2'],
      ['Runs on', 'Several devices'],
      ['Repeats', 'Once'],
    ])
    expect(asked).toEqual([
      { resource: 'devices', id: 'd1' },
      { resource: 'devices', id: 'd2' },
    ])
  })

  it('names the records that a field of several lists by their keys', async () => {
    const run = '35ba0a37-0000-4000-8000-000000000001'
    const { cells, mentioned: asked } = await rows('tickets', 'edit', { jobs: [null, [run]] })
    expect(cells).toEqual([['Runs', '–Empty', `Name of ${run}`]])
    expect(asked).toEqual([{ resource: 'jobs', id: run }])
  })

  it('keeps what a repeating task has, and shows both sides of an edit', async () => {
    const created = await rows('scheduled_tasks', 'create', {
      target: [null, { kind: 'all' }],
      target_kind: [null, 'all'],
      frequency: [null, 'monthly_weekday'],
      month_week: [null, 'first'],
      month_weekday: [null, 'mon'],
    })
    expect(created.cells).toEqual([
      ['Runs on', 'All devices'],
      ['Repeats', 'Monthly, on a weekday'],
      ['Which', 'First'],
      ['Weekday', 'Monday'],
    ])
    cleanup()
    const edited = await rows('scheduled_tasks', 'edit', {
      target: [{ kind: 'all' }, { kind: 'groups', group_ids: ['g1'] }],
      month_week: ['first', 'last'],
    })
    expect(edited.cells).toEqual([
      ['Runs on', '–Empty', 'Name of g1'],
      ['Which', 'First', 'Last'],
    ])
  })

  it('names the alert of a ticket by its message, without tables and keys', async () => {
    const { cells } = await rows('tickets', 'create', {
      subject: [null, 'Disk full'],
      alert_message: [null, 'Offline for 5 minutes or more'],
      alert_table: [null, 'alerts'],
      alert_id: [null, '5b0c7b0e-0000-4000-8000-000000000001'],
      repair_table: [null, 'job_runs'],
    })
    expect(cells).toEqual([
      ['Subject', 'Disk full'],
      ['Alert', 'Offline for 5 minutes or more'],
    ])
  })
})
