import type { Key } from '@/app/keyboard/pressed-key'
import { findPage } from '@/app/registry'
import { canCreate, canEdit, createPath, editPath } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'

export interface KeyContext {
  pathname: string
  /** The current address, to which a form returns. */
  from: string
  allows: (resource: string, action: string) => boolean
  go: (path: string, state: unknown) => void
  showPalette: () => void
  showKeys: () => void
}

const ROW = 'tr[data-row]'

function rows(): HTMLTableRowElement[] {
  return [...document.querySelectorAll<HTMLTableRowElement>(`#main ${ROW}`)]
}

function focusedRow(): HTMLTableRowElement | null {
  return document.activeElement?.closest<HTMLTableRowElement>(`#main ${ROW}`) ?? null
}

/** The row's link takes the focus, so that Enter opens it. A row without a link takes the focus itself. */
function focusRow(row: HTMLTableRowElement | undefined): void {
  if (!row) return
  const target = row.querySelector<HTMLElement>('.k-row-link') ?? row
  if (target === row) row.tabIndex = -1
  target.focus({ preventScroll: true })
  row.scrollIntoView({ block: 'nearest' })
}

function moveBy(step: 1 | -1): void {
  const all = rows()
  const row = focusedRow()
  focusRow(row ? all[all.indexOf(row) + step] : all[0])
}

function select(): void {
  focusedRow()?.querySelector<HTMLInputElement>('.k-table-select input[type="checkbox"]')?.click()
}

/** The resource of the page, and its record if there is one. */
function aboutPage(pathname: string): { resource: string; id: string | null } | null {
  const found = findPage(pathname)
  if (!found || (found.screen !== 'list' && found.screen !== 'show')) return null
  return { resource: found.page.name, id: found.id }
}

function edit({ pathname, from, allows, go }: KeyContext): void {
  const row = focusedRow()
  const name = row?.closest<HTMLElement>('[data-resource]')?.dataset.resource
  const page = aboutPage(pathname)
  const resource = row ? name : page?.resource
  const id = row ? row.dataset.row : page?.id
  const definition = resource ? findDefinition(resource) : null
  if (!definition || !id || !canEdit(definition) || !allows(definition.name, 'edit')) return
  go(editPath(definition, id), { from })
}

/** The list knows whether its cells may be edited; see `use-edit-key.ts`. */
function editCells(): void {
  document.querySelector('#main .k-list')?.dispatchEvent(new Event('edit-cells'))
}

function create({ pathname, from, allows, go }: KeyContext): void {
  const resource = aboutPage(pathname)?.resource
  const definition = resource ? findDefinition(resource) : null
  if (!definition || !canCreate(definition) || !allows(definition.name, 'create')) return
  go(createPath(definition), { from })
}

function search({ showPalette }: KeyContext): void {
  const box = document.querySelector<HTMLInputElement>('#main .k-search input')
  if (!box) {
    showPalette()
    return
  }
  box.focus()
  box.select()
}

const ACTS: Record<Key, (context: KeyContext) => void> = {
  '/': search,
  '?': ({ showKeys }) => showKeys(),
  j: () => moveBy(1),
  k: () => moveBy(-1),
  x: select,
  e: edit,
  c: editCells,
  n: create,
}

/** Runs the command of a key on the current page, if it has one. */
export function runKey(key: Key, context: KeyContext): void {
  ACTS[key](context)
}
