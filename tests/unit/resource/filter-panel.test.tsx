// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Definition } from '@/resource/definition/definition.generated'
import { filterNames } from '@/resource/filter/from-url'
import { findDefinition } from '@/resource/registry'
import { FilterPanel } from '@/resource/screens/list/filter-panel'
import { parseListState } from '@/resource/screens/list/list-state'
import { useWords } from '@/resource/words'
import { render } from '../../support/render'

vi.mock('@/data/client', () => ({ supabase: {} }))
vi.mock('@/data/rpc', () => ({ callRpc: () => Promise.resolve([]) }))
vi.mock('@/resource/queries/use-scope', () => ({
  useResourceScope: () => ({ companyId: 'acme', filter: {} }),
}))

const devices = findDefinition('devices') as Definition

interface PanelProps {
  definition: Definition
  query: string
  onChange: (filters: object) => void
}

function Panel({ definition, query, onChange }: PanelProps) {
  return (
    <FilterPanel
      definition={definition}
      words={useWords(definition)}
      names={filterNames(definition, findDefinition)}
      state={parseListState(new URLSearchParams(query), definition, findDefinition)}
      extra={undefined}
      onBuild={null}
      onChange={onChange}
    />
  )
}

async function open(query = '', definition = devices) {
  const onChange = vi.fn()
  const rendered = await render(<Panel definition={definition} query={query} onChange={onChange} />)
  return { ...rendered, onChange }
}

afterEach(cleanup)

describe('the filters of a list', () => {
  it('shows at once what the definition marks, and what is in force', async () => {
    await open('agent_version=0.1')
    expect(screen.getByLabelText('Status')).toBeTruthy()
    expect(screen.getByLabelText<HTMLInputElement>('Agent version').value).toBe('0.1')
    expect(screen.queryByLabelText('Last seen')).toBeNull()
  })

  it('offers the words of a closed list of tags', async () => {
    const tasks = findDefinition('scheduled_tasks') as Definition
    const { user, onChange } = await open('weekdays=mon', tasks)
    await user.click(screen.getByLabelText('Weekdays'))
    await user.click(await screen.findByText('Friday', { selector: '.ant-select-item-option-content' }))
    expect(onChange).toHaveBeenLastCalledWith({ weekdays: 'mon,fri' })
  })

  it('takes any writing of a color', async () => {
    const categories = findDefinition('ticket_categories') as Definition
    const { user, onChange } = await open('color=%234d6a99', categories)
    await user.click(screen.getByLabelText('Color'))
    await user.keyboard('ABCDEF')
    await user.click(await screen.findByText('ABCDEF', { selector: '.ant-select-item-option-content *' }))
    expect(onChange).toHaveBeenLastCalledWith({ color: '#4d6a99,#abcdef' })
  })

  it('finds every other field by typing, under the headings of the record', async () => {
    const { user, onChange } = await open()
    await user.click(screen.getByLabelText('Add a filter'))
    expect(await screen.findByText('State', { selector: '.ant-select-item-group' })).toBeTruthy()
    await user.keyboard('memory in')
    await user.click(
      await screen.findByText('Memory in use', { selector: '.ant-select-item-option-content' }),
    )
    const field = await screen.findByLabelText('Memory in use')
    expect(document.activeElement).toBe(field)
    await user.keyboard('50{Enter}')
    expect(onChange).toHaveBeenLastCalledWith({ memory_percent: '50..' })
  })
})
