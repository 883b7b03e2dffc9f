// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, within } from '@testing-library/react'
import { type ComponentProps, createRef, type ReactNode } from 'react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Can } from '@/access/policy'
import type { Language } from '@/i18n/language'
import { findDefinition } from '@/resource/language/registry'
import { useWords } from '@/resource/language/words'
import { declaredColumns } from '@/resource/request/query/columns'
import { parseListState } from '@/resource/request/query/list-state'
import { ListToolbar } from '@/resource/screens/list/list-toolbar'
import { render } from '../../../../support/render'
// Loaded with the test, so that the first press waits for no module.
import '@/resource/screens/list/filter-chips'
import '@/resource/screens/list/tool-menu'
import '@/resource/screens/list/tool-sheet'
import '@/resource/screens/list/views/view-controls'

const onPhone = () =>
  vi
    .spyOn(window, 'matchMedia')
    .mockReturnValue(Object.assign(new EventTarget(), { matches: true }) as MediaQueryList)

afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})

const toggle = vi.fn()
const onChange = vi.fn()
const setDensity = vi.fn()

function Toolbar(props: Omit<ComponentProps<typeof ListToolbar>, 'words'>) {
  return <ListToolbar {...props} words={useWords(props.definition)} />
}

interface Shown {
  resource?: string
  language?: Language
  can?: Can
  action?: ReactNode
  search?: string
}

async function show(shown: Shown = {}) {
  const { resource = 'groups', language = 'en', can, action = null, search = '' } = shown
  const definition = findDefinition(resource)
  if (!definition) throw new Error(`No definition of ${resource}`)
  const columns = declaredColumns(definition)
  const state = parseListState(new URLSearchParams(search), definition, findDefinition)
  const rendered = await render(
    <Toolbar
      definition={definition}
      scope={{ companyId: null, filter: {} }}
      setup={{
        state,
        setState: () => undefined,
        columns,
        choice: columns,
        usual: columns,
        setColumns: () => undefined,
        density: 'comfortable',
        setDensity,
        views: [],
        chosen: undefined,
      }}
      sort={[{ field: 'name', descending: false }]}
      rows={[]}
      total={3}
      extra={undefined}
      inline={{
        root: createRef<HTMLDivElement>(),
        isOffered: true,
        isOn: false,
        isLoaded: false,
        start: null,
        grid: null,
        setGrid: () => undefined,
        toggle,
        turnOff: () => undefined,
      }}
      selection={{
        rows: [],
        unseen: 0,
        filter: {},
        isAll: false,
        isSelected: () => false,
        toggle: () => undefined,
        toggleAll: () => undefined,
        chooseAll: () => undefined,
        clear: () => undefined,
      }}
      action={action}
      onCreate={() => undefined}
      onChange={onChange}
    />,
    { language, ...(can ? { can } : {}) },
  )
  return rendered
}
const buttons = (scope = screen.getByRole('searchbox').closest<HTMLElement>('.k-list-bar')) =>
  within(scope as HTMLElement)
    .getAllByRole('button')
    .filter((button) => !button.closest('.k-views'))
    .map((button) => button.getAttribute('aria-label') ?? button.textContent)

describe('ListToolbar', () => {
  it('has few buttons: what a list shows is in one menu, files are in another', async () => {
    const { user } = await show()
    expect(buttons()).toEqual(['Filters', 'View', 'More actions for the list', 'New group'])
    await user.click(screen.getByRole('button', { name: 'View' }))
    await user.click(await screen.findByRole('menuitem', { name: 'Compact' }))
    expect(setDensity).toHaveBeenCalledWith('compact')
    await user.click(screen.getByRole('menuitem', { name: '1. Name, ascending' }))
    expect(onChange).toHaveBeenCalledWith({ sort: [{ field: 'name', descending: true }] })
    await user.click(screen.getByRole('menuitem', { name: 'Edit cells' }))
    expect(toggle).toHaveBeenCalledOnce()
    await user.click(screen.getByRole('button', { name: 'More actions for the list' }))
    expect(await screen.findByRole('menuitem', { name: 'Import' })).toBeTruthy()
    expect(screen.getByRole('menuitem', { name: 'Export' })).toBeTruthy()
  })

  it('gives the focus back to the button, which Enter on an entry does not press', async () => {
    const { user } = await show()
    const view = screen.getByRole('button', { name: 'View' })
    await user.click(view)
    const entry = await screen.findByRole('menuitem', { name: 'Edit cells' })
    // The menu reads the number of a key, which user-event does not give.
    const isUsed = !fireEvent.keyDown(entry, { key: 'Enter', keyCode: 13, which: 13 })
    expect(isUsed).toBe(true)
    expect(document.activeElement).toBe(view)
    expect(view.getAttribute('aria-expanded')).toBe('false')
  })

  it('is search and one button on a phone, with everything else in its sheet; in Turkish', async () => {
    onPhone()
    const { user } = await show({ language: 'tr' })
    expect(buttons()).toHaveLength(2)
    await user.click(screen.getByRole('button', { name: /^Liste araçları/ }))
    const sheet = within(await screen.findByRole('dialog'))
    expect(sheet.getByRole('button', { name: 'Filtreler' })).toBeTruthy()
    for (const name of ['Sütunlar', 'Hücreleri düzenle', 'İçe aktar', 'Dışa aktar', 'Sıkı', /artan$/])
      expect(sheet.getByRole('menuitem', { name })).toBeTruthy()
  })

  it('keeps the tools of its sheet where they are when the list can be saved as a view', async () => {
    onPhone()
    const { user } = await show({ search: '?sort=-name' })
    await user.click(screen.getByRole('button', { name: 'Tools for groups' }))
    const save = await screen.findByRole('button', { name: 'Save view…' })
    const tools = within(await screen.findByRole('dialog')).getByRole('menu')
    expect(tools.compareDocumentPosition(save)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
  })

  it('has the page’s own button beside the search on a phone, too', async () => {
    onPhone()
    await show({ action: <button type="button">Create token</button> })
    expect(buttons()).toEqual(['Create token', 'New group', 'Tools for groups'])
    expect(screen.getByRole('button', { name: 'New group' }).textContent).toBe('New')
  })

  it('has “Save view” beside the chips once a filter is set, and so leaves the quick views their room', async () => {
    await show({ search: '?name=x' })
    const save = await screen.findByRole('button', { name: 'Save view…' })
    expect(save.closest('.k-chips')).not.toBeNull()
    cleanup()
    await show({ search: '?sort=-name' })
    expect((await screen.findByRole('button', { name: 'Save view…' })).closest('.k-chips')).toBeNull()
  })

  it('says in the menu why the license refuses an action, and leaves out what the role never does', async () => {
    const { user } = await show({
      can: (_resource, action) => {
        if (action === 'export') return { allowed: false, reason: 'read-only' }
        return action === 'import' ? { allowed: false, reason: 'role' } : { allowed: true }
      },
    })
    await user.click(screen.getByRole('button', { name: 'More actions for the list' }))
    const entry = await screen.findByRole('menuitem', { name: /^Export/ })
    expect(entry.getAttribute('aria-disabled')).toBe('true')
    expect(entry.textContent).toMatch(/license/)
    expect(screen.queryByRole('menuitem', { name: /^Import/ })).toBeNull()
  })

  it('offers no import where the definition takes none, whatever the role may', async () => {
    const { user } = await show({ resource: 'alerts' })
    await user.click(screen.getByRole('button', { name: 'More actions for the list' }))
    expect(await screen.findByRole('menuitem', { name: 'Export' })).toBeTruthy()
    expect(screen.queryByRole('menuitem', { name: 'Import' })).toBeNull()
  })

  it('has no menu of files for a role that may neither import nor export', async () => {
    await show({
      can: (_resource, action) =>
        action === 'export' || action === 'import' ? { allowed: false, reason: 'role' } : { allowed: true },
    })
    expect(buttons()).toEqual(['Filters', 'View', 'New group'])
  })
})
