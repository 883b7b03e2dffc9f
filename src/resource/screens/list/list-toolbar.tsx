import FilterOutlined from '@ant-design/icons/es/icons/FilterOutlined'
import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { type ReactNode, type RefObject, Suspense, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { GuardedButton } from '@/access/guarded-button'
import { isOutOfRole } from '@/access/policy'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { canImport, listOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import type { ResourceWords } from '@/resource/language/words'
import { hasSearch } from '@/resource/request/query/list-request'
import type { ListSort, ListState } from '@/resource/request/query/list-state'
import { isChanged } from '@/resource/request/query/saved-views'
import type { ListSetup, Selection } from '@/resource/request/query/use-list-setup'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { FilterBar, filterCount, useFilterChoices } from '@/resource/screens/list/filter-bar'
import { LivePill } from '@/resource/screens/list/live-pill'
import { MenuButton, SheetButton } from '@/resource/screens/list/tool-buttons'
import type { ListTools, ToolDialog } from '@/resource/screens/list/tool-items'
import { ViewTabs } from '@/resource/screens/list/view-tabs'
import { InlineSwitch } from '@/resource/tools/inline/inline-switch'
import type { InlineEdit } from '@/resource/tools/inline/use-inline-edit'
import { lazyPart } from '@/ui/load-chunk'
import { SearchBox } from '@/ui/search-box'
import { useMedia } from '@/ui/use-media'

/**
 * The key `c` reaches the list as an event of this name, wherever the menu entry is rendered. When editing
 * ends, the focus moves from its switch to the menu's button.
 */
function useEditKey(
  definition: Definition,
  { root, isOn, isOffered, toggle }: InlineEdit,
  button: RefObject<HTMLButtonElement | null>,
): void {
  const can = useCan()
  const isListening = isOffered && can(definition.name, 'edit').allowed
  const latest = useRef(toggle)
  useEffect(() => {
    latest.current = toggle
  })
  useEffect(() => {
    const list = root.current
    if (!list || !isListening) return
    const handleKey = () => latest.current()
    list.addEventListener('edit-cells', handleKey)
    return () => list.removeEventListener('edit-cells', handleKey)
  }, [root, isListening])
  const wasOn = useRef(isOn)
  useEffect(() => {
    if (wasOn.current && !isOn && document.activeElement === document.body) button.current?.focus()
    wasOn.current = isOn
  }, [isOn, button])
}

// Dialogs come when somebody opens them.
const ViewControls = lazyPart(() =>
  import('@/resource/screens/list/views/view-controls').then((module) => ({ default: module.ViewControls })),
)
const ColumnChooser = lazyPart(() =>
  import('@/resource/screens/list/columns/column-chooser').then((module) => ({
    default: module.ColumnChooser,
  })),
)
const OrderDialog = lazyPart(() =>
  import('@/resource/screens/list/order-dialog').then((module) => ({ default: module.OrderDialog })),
)
const OrderButton = lazyPart(() =>
  import('@/resource/screens/list/order-button').then((module) => ({ default: module.OrderButton })),
)
const ExportDialog = lazyPart(() =>
  import('@/resource/tools/export/export-dialog').then((module) => ({ default: module.ExportDialog })),
)
const ImportDialog = lazyPart(() =>
  import('@/resource/tools/import/import-dialog').then((module) => ({ default: module.ImportDialog })),
)

interface ListToolbarProps {
  definition: Definition
  words: ResourceWords
  scope: ResourceScope
  setup: ListSetup
  sort: readonly ListSort[]
  rows: readonly Row[]
  total: number | undefined
  extra: Filter | undefined
  inline: InlineEdit
  selection: Selection
  /** A further button of the page that shows the list. */
  action: ReactNode
  /** Creates a record; null where the list does not offer it. */
  onCreate: (() => void) | null
  onChange: (change: Partial<ListState>, options?: { replace?: boolean }) => void
}

/** The toolbar is a row above the list: search and one button on a phone, every tool in a wide window. */
export function ListToolbar(props: ListToolbarProps) {
  const { definition, words, scope, setup, sort, rows, extra, inline, action, onCreate, onChange } = props
  const { state } = setup
  const { t } = useTranslation(['engine', 'common'])
  const isPhone = useMedia('(max-width: 767.98px)')
  const choices = useFilterChoices(definition, scope, extra)
  const [isFiltering, setFiltering] = useState(false)
  const [dialog, setDialog] = useState<ToolDialog | null>(null)
  const panelId = useId()
  const display = useRef<HTMLButtonElement>(null)
  useEditKey(definition, inline, display)
  const opener = useRef<Element | null>(null)
  const open = (next: ToolDialog) => {
    opener.current = document.activeElement
    setDialog(next)
  }
  const close = () => setDialog(null)
  // A dialog that is gone gives the focus to nobody.
  useEffect(() => {
    if (dialog !== null || !(opener.current instanceof HTMLElement)) return
    opener.current.focus()
    opener.current = null
  }, [dialog])

  const isWhole = extra === undefined
  const list = listOf(definition)
  const mayImport = canImport(definition) && isWhole
  const can = useCan()
  const isForRole = (verb: string) => !isOutOfRole(can(definition.name, verb))
  const hasFiles =
    isForRole('export') || (mayImport && isForRole('import')) || (definition.trash && isForRole('delete'))
  const tools: ListTools = {
    definition,
    words,
    setup,
    sort,
    inline,
    isWhole,
    canImport: mayImport,
    onSort: (next) => onChange({ sort: next }),
    onDialog: open,
  }
  const changed = isWhole && isChanged(state, setup.chosen, definition, findDefinition)
  const views = (
    <ViewTabs
      definition={definition}
      state={state}
      saved={setup.views}
      chosen={setup.chosen}
      onChange={setup.setState}
    />
  )
  const count = filterCount(state)
  // The view controls are next to the filter chips, which leaves room for the quick views.
  const isBesideChips = choices !== null && count > 0 && !isPhone
  const viewControls =
    changed || (isWhole && setup.chosen) ? (
      <Suspense fallback={null}>
        <ViewControls
          definition={definition}
          scope={scope}
          setup={setup}
          isChanged={changed}
          isSmall={isBesideChips}
        />
      </Suspense>
    ) : null
  const createLabel = t('common:actions.new', { name: words.one })
  const create = (
    <>
      {action}
      {onCreate ? (
        <GuardedButton
          resource={definition.name}
          action="create"
          type="primary"
          icon={<PlusOutlined aria-hidden="true" />}
          aria-label={isPhone ? createLabel : undefined}
          onClick={onCreate}
        >
          {isPhone ? t('list.createShort') : createLabel}
        </GuardedButton>
      ) : null}
    </>
  )
  return (
    <div className="k-list-bar">
      {hasSearch(definition) ? (
        <SearchBox name={words.many} value={state.q} onSearch={(q) => onChange({ q }, { replace: true })} />
      ) : null}
      {views}
      <span className="k-list-end">
        <LivePill {...{ definition, scope, rows, state, extra }} />
        {inline.isOn ? <InlineSwitch definition={definition} inline={inline} /> : null}
        {isWhole && list?.order ? (
          <Suspense fallback={null}>
            <OrderButton resource={definition.name} isSmall={isPhone} onOpen={() => open('order')} />
          </Suspense>
        ) : null}
        {isPhone ? (
          <>
            {create}
            <SheetButton
              tools={tools}
              viewControls={viewControls}
              onFilter={choices ? () => setFiltering(!isFiltering) : null}
            />
          </>
        ) : (
          <>
            {isBesideChips ? null : viewControls}
            {choices ? (
              <Button
                icon={<FilterOutlined aria-hidden="true" />}
                aria-expanded={isFiltering}
                aria-controls={panelId}
                onClick={() => setFiltering(!isFiltering)}
              >
                {count > 0 ? `${t('list.filters')} (${count})` : t('list.filters')}
              </Button>
            ) : null}
            <MenuButton kind="display" tools={tools} ref={display}>
              {t('list.display')}
            </MenuButton>
            {hasFiles ? <MenuButton kind="files" tools={tools} /> : null}
            {create}
          </>
        )}
      </span>
      {choices ? (
        <FilterBar
          {...{ definition, words, state, extra, choices, panelId, onChange }}
          isOpen={isFiltering}
          tools={isBesideChips ? viewControls : null}
        />
      ) : null}
      <Suspense fallback={null}>
        {dialog === 'columns' ? <ColumnChooser {...{ definition, words, setup }} onClose={close} /> : null}
        {dialog === 'order' && list?.order ? (
          <OrderDialog {...{ definition, words, scope }} by={list.order} onClose={close} />
        ) : null}
        {dialog === 'export' ? (
          <ExportDialog
            {...{ definition, state, scope, extra }}
            columns={setup.columns}
            total={props.total}
            selection={props.selection}
            visible={rows}
            onClose={close}
          />
        ) : null}
        {dialog === 'import' ? <ImportDialog definition={definition} onClose={close} /> : null}
      </Suspense>
    </div>
  )
}
