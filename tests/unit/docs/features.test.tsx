// @vitest-environment happy-dom
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanup, screen } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { FieldCell } from '@/resource/fields/cells'
import { commentsOf } from '@/resource/language/comments'
import type { Definition, Field } from '@/resource/language/definition.generated'
import { findDefinition, replaceDefinitions, resourceEntries } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { parseListState } from '@/resource/request/query/list-state'
import { CalendarView } from '@/resource/screens/list/layouts/calendar-view'
import { DashboardView } from '@/resource/screens/list/layouts/dashboard-view'
import { RelatedAbove } from '@/resource/screens/show/related-above'
import { ROOT } from '../../../supabase/embedded/root'
import { fakeData, render } from '../../support/render'

const PAGE = readFileSync(join(ROOT, 'docs/features.md'), 'utf8')
const parts = [...PAGE.matchAll(/^`resources\/\w+\.json`[^\n]*\n\n```json\n(.*?)```/gms)].map(
  ([, text = '']) => JSON.parse(text) as Definition,
)
const loans = parts.find(({ name }) => name === 'loans') as Definition

const shipped = resourceEntries()
beforeAll(() =>
  replaceDefinitions([
    ...shipped,
    ...parts.map((definition) => ({
      name: definition.name,
      file: `resources/${definition.name}.json`,
      definition,
      problems: [],
    })),
  ]),
)
afterAll(() => replaceDefinitions(shipped))
afterEach(cleanup)

function Layout({ of: View, at }: { of: typeof CalendarView; at?: string }) {
  const state = parseListState(new URLSearchParams(), loans, findDefinition)
  return (
    <View
      definition={loans}
      words={useWords(loans)}
      columns={[]}
      state={at ? { ...state, at } : state}
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

describe('the screens of the example in docs/features.md', () => {
  it('show a loan on its day in the color of its state, and crossed out when it is back', async () => {
    const data = fakeData()
    const due = '2031-03-12T10:00:00Z'
    const rows = [
      { id: '1', item: 'Camera', due_at: due, state: 'late' },
      { id: '2', item: 'Cable', due_at: due, state: 'back' },
    ]
    data.getList.mockResolvedValue({ data: rows, total: 2 })
    await render(<Layout of={CalendarView} at="2031-03" />, { companyId: 'acme', data })
    const item = async (name: string) => (await screen.findByText(name)).closest('li') as HTMLElement
    expect((await item('Camera')).dataset).toMatchObject({ tone: 'error', done: 'false' })
    const cable = await item('Cable')
    expect(cable.dataset).toMatchObject({ done: 'true' })
    expect(cable.dataset.tone).toBeUndefined()
  })

  it.each([
    ['en', 'Nobody'],
    ['tr', 'Kimse'],
  ] as const)('count loans without a borrower under their own word (%s)', async (language, word) => {
    const data = fakeData()
    data.custom.mockResolvedValue({ data: { by_borrower: [{ key: null, value: 2 }] } })
    await render(<Layout of={DashboardView as typeof CalendarView} />, { companyId: 'acme', data, language })
    expect((await screen.findByText(word)).closest('a')?.textContent).toBe(`${word}2`)
  })

  it('say that the clock of a loan is paused while its item is in repair, and stops when it is back', async () => {
    const expectText = async (state: string, text: RegExp) => {
      const row = { due_at: '2020-01-01T09:00:00Z', state }
      const { container } = await render(
        <FieldCell
          name="due_at"
          resource="loans"
          value={row.due_at}
          field={loans.fields.due_at as Field}
          row={row}
          dense
        />,
      )
      await expect.poll(() => container.textContent).toMatch(text)
      cleanup()
    }
    await expectText('repair', /^Paused$/)
    await expectText('out', /overdue|ago/i)
    await expectText('back', /2020/)
  })

  it('show what is asked above the loan, with the actions of whoever decides', async () => {
    const [related] = loans.show ? (loans.show.related ?? []) : []
    if (!related) throw new Error('The loan has no related list.')
    const data = fakeData()
    const asked = { id: '7', status: 'asked', until: '2031-04-01', reason: 'The shoot is late', version: 1 }
    data.getList.mockResolvedValue({ data: [asked], total: 1 })
    await render(<RelatedAbove definition={loans} related={related} record={{ id: '1', state: 'out' }} />, {
      companyId: 'acme',
      data,
    })
    expect(await screen.findByText('The shoot is late')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Grant' })).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Refuse' })).toBeTruthy()
    const [question] = data.getList.mock.calls.at(-1) ?? []
    expect(JSON.stringify(question)).toMatch(/"status".*"asked"/)
    expect(JSON.stringify(question)).toContain('"1"')
  })

  it('have the thread in the middle of a loan that is not back', () => {
    expect(commentsOf(loans)).toMatchObject({
      place: 'main',
      sets: 'step_id',
      hasOrigin: true,
      offeredWhen: { state: { _neq: 'back' } },
    })
  })
})
