// @vitest-environment happy-dom
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { filterNames } from '@/resource/request/filter/from-url'
import { parseListState } from '@/resource/request/query/list-state'
import { FilterPanel } from '@/resource/screens/list/filter-panel'
import { render } from '../../../../support/render'

const devices = findDefinition('devices') as Definition

let setQuery: (query: string) => void

interface PanelProps {
  definition: Definition
  query: string
  onChange: (filters: object) => void
}

function Panel({ definition, query: first, onChange }: PanelProps) {
  const [query, set] = useState(first)
  setQuery = set
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
  const rendered = await render(<Panel definition={definition} query={query} onChange={onChange} />, {
    companyId: 'acme',
  })
  return { ...rendered, onChange, rerenderWith: (next: string) => act(() => setQuery(next)) }
}

afterEach(cleanup)

describe('the filters of a list', () => {
  it('shows at once what the definition marks, and what is in force', async () => {
    await open('agent_version=0.1')
    expect(screen.getByLabelText('Status')).toBeTruthy()
    expect(screen.getByLabelText<HTMLInputElement>('Agent version').value).toBe('0.1')
    expect(screen.queryByLabelText('Last check-in')).toBeNull()
  })

  it('offers the words of a closed list of tags', async () => {
    const tasks = findDefinition('scheduled_tasks') as Definition
    const { user, onChange } = await open('weekdays=mon', tasks)
    await user.click(screen.getByLabelText('Weekdays'))
    await user.click(await screen.findByText('Friday', { selector: '.ant-select-item-option-content' }))
    expect(onChange).toHaveBeenLastCalledWith({ weekdays: 'mon,fri' }, {})
  })

  it('takes any writing of a color', async () => {
    const categories = findDefinition('ticket_categories') as Definition
    const { user, onChange } = await open('color=%234d6a99', categories)
    await user.click(screen.getByLabelText('Color'))
    await user.keyboard('ABCDEF')
    await user.click(await screen.findByText('ABCDEF', { selector: '.ant-select-item-option-content *' }))
    expect(onChange).toHaveBeenLastCalledWith({ color: '#4d6a99,#abcdef' }, {})
  })

  it('finds every other field by typing, and puts it last, with the focus', async () => {
    const { user, onChange } = await open('agent_version=0.1')
    const labels = () => [...document.querySelectorAll('.k-filter > label')].map((each) => each.textContent)
    const before = labels()
    await user.click(screen.getByLabelText('Add a filter'))
    expect(await screen.findByText('State', { selector: '.ant-select-item-group' })).toBeTruthy()
    await user.keyboard('memory in')
    await user.click(
      await screen.findByText('Memory in use', { selector: '.ant-select-item-option-content' }),
    )
    const field = await screen.findByLabelText('Memory in use')
    expect(document.activeElement).toBe(field)
    expect(labels()).toEqual([...before.slice(0, -1), 'Memory in use', 'Add a filter'])
    await user.keyboard('50{Enter}')
    expect(onChange).toHaveBeenLastCalledWith(
      { agent_version: '0.1', memory_percent: '50..' },
      { replace: false },
    )
  })

  describe('a text', () => {
    beforeEach(() => vi.useFakeTimers())
    afterEach(() => vi.useRealTimers())
    const typeText = (input: HTMLElement, value: string) => fireEvent.change(input, { target: { value } })

    it('applies after a pause while it is typed, and never puts back what was typed since', async () => {
      const { onChange, rerenderWith } = await open('agent_version=0.1')
      const input = screen.getByLabelText<HTMLInputElement>('Agent version')
      typeText(input, '0.2')
      await act(() => vi.advanceTimersByTimeAsync(399))
      expect(onChange).not.toHaveBeenCalled()
      await act(() => vi.advanceTimersByTimeAsync(1))
      expect(onChange).toHaveBeenCalledExactlyOnceWith({ agent_version: '0.2' }, { replace: true })
      typeText(input, '0.2.1')
      rerenderWith('agent_version=0.2')
      expect(input.value).toBe('0.2.1')
      rerenderWith('agent_version=0.1')
      expect(input.value).toBe('0.1')
    })

    it('applies at once on Enter, and only once', async () => {
      const { onChange } = await open('agent_version=0.1')
      const input = screen.getByLabelText('Agent version')
      typeText(input, '0.3')
      fireEvent.keyDown(input, { key: 'Enter' })
      expect(onChange).toHaveBeenCalledOnce()
      fireEvent.blur(input)
      await act(() => vi.advanceTimersByTimeAsync(1000))
      expect(onChange).toHaveBeenCalledOnce()
    })
  })

  it('offers periods that follow the calendar, and two days', async () => {
    const { user, onChange, rerenderWith } = await open('last_seen=$now-7d..$now')
    expect(screen.getByText('Last 7 days')).toBeTruthy()
    await user.click(screen.getByLabelText('Last check-in'))
    await user.click(await screen.findByText('Older than 30 days'))
    expect(onChange).toHaveBeenLastCalledWith({ last_seen: '..$now-31d' }, {})
    rerenderWith('last_seen=2026-01-02..2026-02-03')
    expect(screen.getByDisplayValue('2 Jan 2026')).toBeTruthy()
    expect(screen.getByDisplayValue('3 Feb 2026')).toBeTruthy()
  })

  it('offers what lies ahead for days that are counted down to', async () => {
    const { user, onChange } = await open(
      'solution_due_at=$now..$now',
      findDefinition('tickets') as Definition,
    )
    await user.click(screen.getByLabelText('Due'))
    expect(screen.queryByText('Older than 30 days')).toBeNull()
    await user.click(await screen.findByText('Next 7 days'))
    expect(onChange).toHaveBeenLastCalledWith({ solution_due_at: '$now..$now+7d' }, {})
  })
})
