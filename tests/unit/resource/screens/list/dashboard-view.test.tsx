// @vitest-environment happy-dom
import { cleanup, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Language } from '@/i18n/language'
import type { Definition } from '@/resource/language/definition.generated'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { parseListState } from '@/resource/request/query/list-state'
import { DashboardView } from '@/resource/screens/list/layouts/dashboard-view'
import { periodWord } from '@/resource/screens/list/layouts/figures'
import { fakeData, render } from '../../../../support/render'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

describe('the name of a period', () => {
  it.each([
    ['2031-03-01', 'month', 'en', 'Mar 2031'],
    ['2031-03-01', 'month', 'tr', 'Mar 2031'],
    ['2031-03-03', 'week', 'en', '3 Mar'],
    ['2031-03-03', 'week', 'tr', '3 Mar'],
    ['2031-02-01', 'day', 'tr', '1 Şub'],
    ['2030-12-30', 'week', 'en', '30 Dec 2030'],
    ['2030-12-30', 'day', 'tr', '30 Ara 2030'],
  ] as const)('%s of a %s, in %s, is %s in 2031', (start, every, language, word) => {
    vi.useFakeTimers({ now: new Date('2031-06-15T12:00:00Z'), toFake: ['Date'] })
    expect(periodWord(start, every, language)).toBe(word)
  })
})

const definition = {
  name: 'loans',
  title: '{name}',
  fields: {
    name: { type: 'text' },
    returned_on: { type: 'date' },
    lasted: { type: 'duration' },
  },
  list: {
    columns: ['name'],
    dashboard: {
      lasted: {
        show: 'series',
        measure: 'average',
        of: 'lasted',
        by: 'returned_on',
        every: 'month',
        last: 2,
      },
      returned: { show: 'series', by: 'returned_on', every: 'month', last: 2 },
    },
  },
} as const satisfies Definition

function Figures({ of = definition, query = '' }: { of?: Definition; query?: string }) {
  return (
    <DashboardView
      definition={of}
      words={useWords(of)}
      columns={[]}
      state={parseListState(new URLSearchParams(query), of, findDefinition)}
      scope={{ companyId: 'acme', filter: {} }}
      extra={undefined}
      runner={undefined as never}
      linkState={null}
      onHover={() => undefined}
      onChange={() => undefined}
      rowMenu={null}
    />
  )
}

it.each([
  ['en', 'Highest 2 h'],
  ['tr', 'En yüksek 2 sa'],
] satisfies [Language, string][])(
  'a series of durations names the highest one, and a series of counts does not (%s)',
  async (language, highest) => {
    const data = fakeData()
    data.custom.mockImplementation(async () => ({
      data: {
        lasted: [
          { key: '2031-02-01', value: 7200 },
          { key: '2031-03-01', value: 60 },
        ],
        returned: [
          { key: '2031-02-01', value: 5 },
          { key: '2031-03-01', value: 3 },
        ],
      },
    }))
    await render(<Figures />, { companyId: 'acme', data, language })
    const word = language === 'tr' ? /En yüksek/ : /Highest/
    const found = await screen.findAllByText(word)
    expect(found.map(({ textContent }) => textContent)).toEqual([highest])
    expect(document.querySelector('.k-figure-axis')?.textContent).toContain(
      language === 'tr' ? 'Şub 2031' : 'Feb 2031',
    )
  },
)

it('a figure that ignores a condition of the view is asked for without it, and says so', async () => {
  const loans = {
    name: 'loans',
    title: '{name}',
    fields: { name: { type: 'text' }, state: { type: 'text' }, place: { type: 'text' } },
    list: {
      columns: ['name'],
      layouts: ['table', 'dashboard'],
      views: { out: { filter: { state: { _eq: 'out' }, place: { _eq: 'here' } } } },
      dashboard: {
        all: { show: 'number' },
        back: { show: 'number', filter: { state: { _eq: 'back' } } },
        ever: { show: 'number', ignores: ['state'] },
      },
    },
  } as const satisfies Definition
  const data = fakeData()
  data.custom.mockImplementation(async () => ({
    data: { all: { value: 1 }, back: { value: 2 }, ever: { value: 3 } },
  }))
  await render(<Figures of={loans} query="view=out" />, { companyId: 'acme', data })
  expect((await screen.findByRole('link', { name: '3' })).getAttribute('href')).not.toContain('view=')
  expect(screen.getByRole('link', { name: '1' }).getAttribute('href')).toContain('view=out')
  expect(screen.getAllByText(/^Not filtered by the view: /)).toHaveLength(2)
  const asked = JSON.stringify(data.custom.mock.calls[0]?.[0].payload)
  const { figures, filter } = JSON.parse(asked) as {
    figures: Record<string, { filter: object }>
    filter: object
  }
  expect(JSON.stringify(filter)).toContain('place')
  expect(JSON.stringify(filter)).not.toContain('state')
  expect(JSON.stringify(figures.all?.filter)).toContain('"out"')
  expect(JSON.stringify(figures.back?.filter)).not.toContain('"out"')
  expect(JSON.stringify(figures.ever?.filter)).not.toContain('state')
  expect(JSON.stringify(figures)).not.toContain('ignores')
})
