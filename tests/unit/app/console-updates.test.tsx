// @vitest-environment happy-dom
import { act, cleanup, screen } from '@testing-library/react'
import { Suspense, useState } from 'react'
import { useNavigate } from 'react-router'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ConsoleUpdates } from '@/app/console-updates'
import { isPrivatePath } from '@/app/private-paths'
import { PrivateRoutes } from '@/app/private-routes'
import { Sidebar } from '@/app/shell/sidebar'
import { parseEntry, type ResourceEntry } from '@/resource/language/entry'
import { replaceDefinitions, resourceEntries } from '@/resource/language/registry'
import { replaceWords } from '@/resource/language/words'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { fetchDefinitions, fetchResourceWords, noteVersions } from '@/ui/console-files'
import { type Leaving, LeavingContext } from '@/ui/leaving'
import { eventually } from '../../support/eventually'
import { render } from '../../support/render'
import { resourceWords } from '../../support/resource-words'

const shipped = resourceEntries()
const texts: object = resourceWords('en')

const boats = (icon: string) =>
  parseEntry(
    'resources/boats.json',
    JSON.stringify({ name: 'boats', icon, fields: { title: { type: 'text' } } }),
  )

let served: readonly ResourceEntry[]
let words: object
let turn = 0
let isDirty = false

/** As the server does when a file has changed. */
async function announce(entries: readonly ResourceEntry[], newWords = words): Promise<void> {
  served = entries
  words = newWords
  turn += 1
  await act(async () => noteVersions({ definitions: `d${turn}`, words: { en: `w${turn}` } }))
}

const leaving = { hasUnsavedWork: () => isDirty } as Leaving

/** A screen that holds what was typed as long as it stays mounted. */
function Screen() {
  return (
    <DefinedScreen resource="boats">
      {({ icon, fields }) => <Typed label={`${icon} ${Object.keys(fields).join(' ')}`} />}
    </DefinedScreen>
  )
}

function Typed({ label }: { label: string }) {
  const [text, setText] = useState('')
  const navigate = useNavigate()
  return (
    <>
      <p>{label}</p>
      <input aria-label="draft" value={text} onChange={({ target }) => setText(target.value)} />
      <button type="button" onClick={() => navigate('/groups')}>
        leave
      </button>
    </>
  )
}

async function open(path: string, node = <Screen />) {
  return render(
    <LeavingContext.Provider value={leaving}>
      <ConsoleUpdates />
      {node}
    </LeavingContext.Provider>,
    {
      path,
      companyId: 'company-1',
      data: { custom: async () => ({ data: { preferences: [], views: [] } }) },
    },
  )
}

beforeEach(async () => {
  isDirty = false
  served = [...shipped, boats('printer')]
  words = texts
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (address) =>
    Response.json(String(address).startsWith('/definitions.json') ? served : words),
  )
  await fetchDefinitions()
  await fetchResourceWords('en')
  replaceDefinitions(served)
})

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  replaceDefinitions(shipped)
  replaceWords('en', texts)
})

it('shows a changed definition at once, and keeps the screens of the others as they are', async () => {
  const { user } = await open('/boats')
  await user.type(screen.getByLabelText('draft'), 'kept')
  await announce([...shipped.filter(({ name }) => name !== 'groups'), boats('printer')])
  await eventually(() => expect(resourceEntries().some(({ name }) => name === 'groups')).toBe(false))
  expect(screen.getByLabelText<HTMLInputElement>('draft').value).toBe('kept')
  await announce([...shipped, boats('device')])
  expect(await screen.findByText('device title')).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>('draft').value).toBe('')
})

it('lets a page with unsaved work wait, says so, and follows when the work is saved', async () => {
  const { user } = await open('/boats')
  await user.type(screen.getByLabelText('draft'), 'precious')
  isDirty = true
  await announce([...shipped, boats('device')])
  expect(await screen.findByText('This page has a new version')).toBeTruthy()
  expect(screen.getByText('printer title')).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>('draft').value).toBe('precious')
  isDirty = false
  expect(await screen.findByText('device title')).toBeTruthy()
  expect(screen.queryByText('This page has a new version')).toBeNull()
})

it('follows when the page with unsaved work is left', async () => {
  const { user } = await open('/boats')
  isDirty = true
  await announce([...shipped, boats('device')])
  await screen.findByText('This page has a new version')
  await user.click(screen.getByText('leave'))
  expect(await screen.findByText('device title')).toBeTruthy()
})

it('shows the errors of a broken definition above its last correct version, without touching it', async () => {
  const { user } = await open('/boats')
  await user.type(screen.getByLabelText('draft'), 'kept')
  isDirty = true
  const problems = [{ file: 'resources/boats.json', line: 4, message: 'unknown key `labl`' }]
  await announce([...shipped, { ...boats('printer'), problems }])
  expect(await screen.findByText('resources/boats.json, line 4')).toBeTruthy()
  expect(screen.getByText(/The last correct version is shown/)).toBeTruthy()
  expect(screen.getByLabelText<HTMLInputElement>('draft').value).toBe('kept')
  await announce([...shipped, { ...boats('printer'), definition: null, problems }])
  isDirty = false
  expect(await screen.findByText(/The rest of the console keeps working/)).toBeTruthy()
  expect(screen.queryByLabelText('draft')).toBeNull()
})

it('adds and removes pages of the menu, replaces texts, and says that an open page was removed', async () => {
  await open(
    '/boats',
    <>
      <Sidebar isCollapsed={false} />
      <Suspense fallback={null}>
        <PrivateRoutes />
      </Suspense>
    </>,
  )
  expect(await screen.findByRole('link', { name: 'Boats' })).toBeTruthy()
  const more = parseEntry('resources/sails.json', '{"name":"sails","fields":{"title":{"type":"text"}}}')
  await announce([...shipped, more], { ...texts, monitors: { many: 'Clusters' }, sails: { many: 'Canvas' } })
  expect(await screen.findByRole('link', { name: 'Canvas' })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Clusters' })).toBeTruthy()
  expect(await screen.findByText('Boats was removed')).toBeTruthy()
  expect(screen.queryByRole('link', { name: 'Boats' })).toBeNull()
  expect([isPrivatePath('/sails/1'), isPrivatePath('/boats')]).toEqual([true, true])
})
