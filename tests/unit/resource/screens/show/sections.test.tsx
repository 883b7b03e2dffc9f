// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { ShowSections, shownNames, summaryFields } from '@/resource/screens/show/sections'
import { render } from '../../../../support/render'

afterEach(cleanup)

const definition: Definition = {
  name: 'visits',
  fields: { note: { type: 'text' }, hour: { type: 'text', when: { note: { _eq: 'planned' } } } },
}

it('leaves out a section of which no field is shown', async () => {
  await render(
    <ShowSections
      definition={definition}
      sections={{ main: ['note'], plan: ['hour'] }}
      record={{ id: '1', note: 'none', hour: '9' }}
    />,
    { companyId: 'acme' },
  )
  expect(screen.getAllByRole('heading', { level: 3 })).toHaveLength(1)
})

it('a record leaves out the answers of a form that asked nothing', () => {
  const asked: Definition = {
    name: 'requests',
    fields: { note: { type: 'text' }, answers: { type: 'answers', form: '$record.kind_id.fields' } },
  }
  const names = (record: Row) => shownNames(asked, ['note answers'], record, {})
  expect(names({ note: null, answers: {} })).toEqual(['note'])
  expect(names({ note: null, answers: { room: 'B' } })).toEqual(['note', 'answers'])
})

it('a summary has no empty value and none that the record hides', () => {
  const automations: Definition = { ...definition, show: { summary: ['note', 'hour'] } }
  const scope = { user: { id: 'me', companyId: 'acme', email: 'me@acme.test' } }
  const shown = (record: Row) => summaryFields(automations, record, scope).map(({ name }) => name)
  expect(shown({ note: 'planned', hour: '9' })).toEqual(['note', 'hour'])
  expect(shown({ note: 'planned', hour: null })).toEqual(['note'])
  expect(shown({ note: 'none', hour: '9' })).toEqual(['note'])
  expect(shown({ note: '', hour: '9' })).toEqual([])
})

it('a device shows what went wrong with its agent only where something did', async () => {
  const devices = findDefinition('devices')
  if (!devices?.show) throw new Error('devices have a page')
  const { agent = [] } = devices.show.sections ?? {}
  const labels = async (record: Row) => {
    await render(<ShowSections definition={devices} sections={{ agent }} record={{ id: '1', ...record }} />, {
      companyId: 'acme',
    })
    await screen.findByText('Agent version')
    const found = ['Agent update', 'Update to', 'Why it failed', 'Inventory refused'].filter((label) =>
      screen.queryByText(label),
    )
    cleanup()
    return found
  }
  const calm = {
    agent_version: '1.2.0',
    agent_update_state: null,
    agent_update_version: null,
    agent_update_reason: null,
    inventory_refused: null,
  }
  expect(await labels(calm)).toEqual([])
  const failed = {
    agent_update_state: 'failed',
    agent_update_version: '1.3.0',
    agent_update_reason: 'signature',
  }
  expect(await labels({ ...calm, ...failed })).toEqual(['Agent update', 'Update to', 'Why it failed'])
  expect(await labels({ ...calm, inventory_refused: 'disks' })).toEqual(['Inventory refused'])
})
