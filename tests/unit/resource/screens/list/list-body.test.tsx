// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import type { ComponentProps } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { BusyError } from '@/data/errors'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { declaredColumns } from '@/resource/request/query/columns'
import { parseListState } from '@/resource/request/query/list-state'
import type { ListResult } from '@/resource/request/query/use-list-query'
import { ListBody } from '@/resource/screens/list/list-body'
import { type CompanyScope, CompanyScopeContext } from '@/session/use-company-scope'
import { setConnectionLost } from '@/ui/connection-lost'
import { render } from '../../../../support/render'

const waiting = vi.hoisted(() => vi.fn(() => null))
vi.mock('@/ui/waiting-states', () => ({ ConnectionWaiting: waiting }))

const IN_VIEW = { companyId: 'c', setCompanyId: () => undefined, companies: [] }
let scope: CompanyScope = IN_VIEW

afterEach(() => {
  cleanup()
  scope = IN_VIEW
})

function Body(props: Omit<ComponentProps<typeof ListBody>, 'words'>) {
  return (
    <CompanyScopeContext.Provider value={scope}>
      <ListBody {...props} words={useWords(props.definition)} />
    </CompanyScopeContext.Provider>
  )
}

async function show(parts: Partial<ListResult>, bar: string | null, more: Partial<Definition> = {}) {
  const groups = findDefinition('groups')
  if (!groups) throw new Error('No definition of groups')
  const definition = { ...groups, ...more }
  const result = {
    list: { rows: [{ id: '1', name: 'Servers' }], hasNext: false, hasPrevious: false },
    total: 1,
    order: [],
    isStale: false,
    error: null,
    refetch: () => undefined,
    ...parts,
  } as unknown as ListResult
  const { container } = await render(
    <Body
      definition={definition}
      columns={declaredColumns(definition)}
      result={result}
      state={parseListState(new URLSearchParams(), definition, findDefinition)}
      sort={[]}
      density="comfortable"
      bar={bar}
      empty={null}
      onChange={() => undefined}
      onHover={() => undefined}
      onResize={undefined}
      linkState={null}
      selection={null}
      rowMenu={null}
      tick={null}
      grid={null}
    />,
  )
  if (result.list?.rows.length) await screen.findByRole('table')
  return container
}

describe('ListBody', () => {
  it('says of an empty list what the definition says', async () => {
    const list = { rows: [], hasNext: false, hasPrevious: false }
    await show({ list, total: 0 } as unknown as Partial<ListResult>, null, {
      list: { empty: { en: 'Groups come from the directory.', tr: 'Gruplar dizinden gelir.' } },
    })
    expect(await screen.findByText('Groups come from the directory.')).toBeTruthy()
  })

  it('asks for a company first where there is none', async () => {
    scope = { ...IN_VIEW, companyId: null, hasNoCompany: true }
    const list = { rows: [], hasNext: false, hasPrevious: false }
    await show({ list, total: 0 } as unknown as Partial<ListResult>, null)
    expect(await screen.findByText('Create a company first')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Create a company' })).toBeTruthy()
  })

  it('puts what comes by itself below the rows: an error and the bar of a selection', async () => {
    const container = await show({ error: new BusyError('busy') }, 'the bar')
    const dock = container.querySelector('.k-table-dock')
    expect(dock?.contains(screen.getByRole('alert'))).toBe(true)
    expect(dock?.textContent).toContain('the bar')
    expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy()
    // Nothing else than the frame, in which the dock is laid over the lower edge.
    expect(container.querySelector('.k-table-frame')?.previousElementSibling).toBeNull()
  })

  it('never says that it waits for the connection over rows that it has', async () => {
    setConnectionLost(true)
    await show({}, null)
    setConnectionLost(false)
    // Not even for the frame before the rows.
    expect(waiting).not.toHaveBeenCalled()
  })

  it('has no bar over the rows while there is nothing to tell', async () => {
    const container = await show({}, null)
    expect(container.querySelector('.k-table-dock')?.getAttribute('data-empty')).toBe('true')
  })
})
