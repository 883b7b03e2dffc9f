import { type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { isOutOfRole } from '@/access/policy'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import type { RowSource } from '@/refine/data-provider'
import { useCache } from '@/refine/use-cache'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { canCreate, canDelete, canEdit, createPath, hasShow, recordPath } from '@/resource/language/naming'
import { useWords } from '@/resource/language/words'
import { actionsOn } from '@/resource/request/filter/actions'
import { underFilter } from '@/resource/request/filter/under'
import { clampWidth, type ListColumn, listFields } from '@/resource/request/query/columns'
import { effectiveSort } from '@/resource/request/query/list-request'
import { changeList } from '@/resource/request/query/list-state'
import { useListQuery } from '@/resource/request/query/use-list-query'
import { useListSetup, useSelection } from '@/resource/request/query/use-list-setup'
import { prefetchRecord } from '@/resource/request/query/use-record-query'
import { type ResourceScope, useResourceScope } from '@/resource/request/query/use-scope'
import { useActionRunner } from '@/resource/screens/actions/use-action-runner'
import type { PageAction } from '@/resource/screens/actions/use-guarded-item'
import { BulkBar } from '@/resource/screens/list/bulk-bar'
import { ListBody } from '@/resource/screens/list/list-body'
import type { TickColumn } from '@/resource/screens/list/list-table'
import { ListToolbar } from '@/resource/screens/list/list-toolbar'
import { Pager } from '@/resource/screens/list/pager'
import type { OpenBulk } from '@/resource/tools/bulk/bulk-tools'
import { useInlineEdit } from '@/resource/tools/inline/use-inline-edit'
import { lazyPart } from '@/ui/load-chunk'
import '@/resource/screens/list/list.css'
import { useEngineWords } from '@/i18n/use-language'
import { recordTitle } from '@/resource/request/query/title'
import type { RowMenuProps } from '@/resource/screens/list/row-menu-items'
import { PartLoading } from '@/ui/loading-state'
import { RowIcon } from '@/ui/row-icon'

const RowMenuItems = lazyPart(() =>
  import('@/resource/screens/list/row-menu-items').then((module) => ({ default: module.RowMenuItems })),
)

/**
 * A plain button: the library's menu takes a third of the time that a row is painted in, and few rows' are ever
 * opened. It is hung on the button with the first press, and stays.
 */
function RowMenu(props: RowMenuProps) {
  const t = useEngineWords()
  const [button, setButton] = useState<HTMLButtonElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  const close = useCallback(() => setOpen(false), [])
  return (
    <>
      <button
        type="button"
        className="k-row-menu"
        aria-label={t('list.actionsFor', { title: recordTitle(props.definition, props.row) })}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={(event) => {
          setButton(event.currentTarget)
          setOpen(!isOpen)
        }}
      >
        <RowIcon shape="more" />
      </button>
      {button ? (
        <Suspense fallback={null}>
          <RowMenuItems {...props} button={button} isOpen={isOpen} onClose={close} />
        </Suspense>
      ) : null}
    </>
  )
}

// A layout other than the table comes when somebody opens it.
const BoardView = lazyPart(() =>
  import('@/resource/screens/list/layouts/board-view').then((module) => ({ default: module.BoardView })),
)
const CalendarView = lazyPart(() =>
  import('@/resource/screens/list/layouts/calendar-view').then((module) => ({
    default: module.CalendarView,
  })),
)

const DashboardView = lazyPart(() =>
  import('@/resource/screens/list/layouts/dashboard-view').then((module) => ({
    default: module.DashboardView,
  })),
)

// Editing in cells comes when somebody edits in them.
const InlineEditing = lazyPart(() =>
  import('@/resource/tools/inline/inline-editing').then((module) => ({ default: module.InlineEditing })),
)

const TrashPart = lazyPart(() =>
  import('@/resource/screens/trash/trash-part').then((module) => ({ default: module.TrashPart })),
)

const OpenBulkJob = lazyPart(() =>
  import('@/resource/tools/bulk/bulk-tools').then((module) => ({ default: module.OpenBulkJob })),
)

const NO_ROWS: readonly Row[] = []
/** A pointer must rest this long on a row to prefetch it: crossing the table reads nothing. */
const HOVER_MS = 80

interface RecordListProps {
  definition: Definition
  /** Replaces the create button, for resources without a create form. */
  action?: ReactNode
  /** The record whose rows these are: the field that points at it, and its id. */
  under?: {
    field: string
    id: string
    /** Creates a record for the parent record without leaving it; false where the list does not offer it. */
    create?: false | (() => void)
    /** A box before each row in place of the selection, and the field that it shows. Rows of a list are few. */
    tick?: TickColumn
  }
  part?: ListPart
}

/** Rows of a resource as a page of its own chooses them. Its creation, columns for users and saved views are left out. */
export interface ListPart {
  /** Conditions that users cannot take away. */
  filter?: Filter
  /** The function that returns the rows. "All matching rows" and counts of choices are not offered then. */
  source?: RowSource
  /** Columns after those of the definition, and the related records they read. Keep the object between renders. */
  own?: { embeds: string; columns: readonly ListColumn[] }
  actions?: readonly PageAction[]
  /** When there is no row at all. */
  empty?: ReactNode
  /** Parameters of the address that belong to the page; `tab` by default. Keep the object between renders. */
  kept?: readonly string[]
}

const NO_ACTIONS: readonly PageAction[] = []

/** The scope of the user, with the function that returns the rows. The same object while both stay the same. */
function usePartScope(part: ListPart | undefined): ResourceScope {
  const ofUser = useResourceScope()
  const source = part?.source && JSON.stringify(part.source)
  const embeds = part?.own?.embeds
  return useMemo(
    () => ({
      ...ofUser,
      embeds,
      source: source === undefined ? undefined : (JSON.parse(source) as RowSource),
    }),
    [ofUser, embeds, source],
  )
}

/** The list of a resource, or its trash while the address asks for that. */
export function RecordList(props: RecordListProps) {
  const { definition, under, part } = props
  const isTrash = /[?&]trash=1\b/.test(useLocation().search)
  if (!definition.trash || !isTrash || under || part) return <LivingList {...props} />
  return (
    <Suspense fallback={<PartLoading />}>
      <TrashPart definition={definition} />
    </Suspense>
  )
}

function LivingList({ definition, action, under, part }: RecordListProps) {
  const words = useWords(definition)
  const scope = usePartScope(part)
  const cache = useCache()
  const navigate = useNavigate()
  const location = useLocation()
  const isPart = under !== undefined || part !== undefined
  const setup = useListSetup(
    definition,
    scope,
    isPart ? { without: under?.field, kept: part?.kept } : undefined,
  )
  const { state, setState } = setup
  const own = part?.own?.columns
  const columns = useMemo(() => (own ? [...setup.columns, ...own] : setup.columns), [setup.columns, own])
  const extra = isPart ? { ...(under && underFilter(definition, under)), ...part?.filter } : undefined
  const further = part?.actions ?? NO_ACTIONS
  const inline = useInlineEdit(definition, columns)
  const tick = under?.tick ?? null
  const fields = [
    ...listFields(definition, setup.columns),
    ...(inline.grid?.fields ?? []),
    ...(tick ? [tick.field] : []),
  ]
  // A part of a page, and a record's list, are tables.
  const layout = isPart ? 'table' : state.layout
  const result = useListQuery(definition, fields, state, scope, extra, { isOff: layout !== 'table' })
  const sort = effectiveSort(definition, state)
  const rows = result.list?.rows ?? NO_ROWS
  const selection = useSelection({ definition, state, extra, visible: rows })
  const runner = useActionRunner(definition, scope, ({ deleted }) => {
    if (deleted) selection.clear()
  })
  const [bulk, setBulk] = useState<OpenBulk | null>(null)
  const handleBulkClose = (isDone: boolean) => {
    setBulk(null)
    // The rows may have left the view. Those that were edited can be edited further.
    if (isDone && bulk?.job.kind !== 'edit') selection.clear()
  }
  const change = (next: Parameters<typeof changeList>[1], options?: { replace?: boolean }) =>
    setState(changeList(state, next), options)

  const hover = useRef<number | undefined>(undefined)
  useEffect(() => () => window.clearTimeout(hover.current), [])
  const handleHover = (row: Row) => {
    window.clearTimeout(hover.current)
    if (!hasShow(definition)) return
    hover.current = window.setTimeout(
      () => prefetchRecord(cache, definition, String(row.id), scope),
      HOVER_MS,
    )
  }

  const from = `${location.pathname}${location.search}`
  const linkState = { from }
  const can = useCan()
  const isForRole = (verb: string, object = definition.name) => !isOutOfRole(can(object, verb))
  const hasActions = (place: 'bulk' | 'row') =>
    further.some(({ verb, object }) => isForRole(verb, object)) ||
    actionsOn(definition, place).some(({ verb, object }) => isForRole(verb, object)) ||
    (canDelete(definition) && isForRole('delete')) ||
    (canEdit(definition) && isForRole('edit'))
  const hasBulk =
    isForRole('export') ||
    ((actionsOn(definition, 'bulk').length > 0 || further.length > 0 || canDelete(definition)) &&
      hasActions('bulk'))
  const hasMenu = recordPath(definition, '') !== null || hasActions('row')
  const mayCreate = canCreate(definition) && part === undefined && under?.create !== false
  const rowMenu = (row: Row, added: readonly PageAction[] = NO_ACTIONS) => (
    <RowMenu
      definition={definition}
      words={words}
      scope={scope}
      row={row}
      runner={runner}
      further={added.length > 0 ? [...further, ...added] : further}
      linkState={linkState}
    />
  )
  const Layout = { board: BoardView, calendar: CalendarView, dashboard: DashboardView, table: null }[layout]
  return (
    <div ref={inline.root} className="k-list" data-density={setup.density}>
      <ListToolbar
        {...{ definition, words, scope, setup, sort, rows, extra, inline, selection, action }}
        total={result.total}
        onCreate={
          mayCreate ? under?.create || (() => navigate(createPath(definition), { state: linkState })) : null
        }
        onChange={change}
      />
      {Layout ? (
        <Suspense fallback={<PartLoading rows={12} />}>
          <Layout
            {...{ definition, words, columns, state, scope, extra, runner, linkState }}
            onHover={handleHover}
            onChange={change}
            rowMenu={hasMenu ? rowMenu : null}
          />
        </Suspense>
      ) : (
        <ListBody
          definition={definition}
          words={words}
          columns={columns}
          result={result}
          state={state}
          sort={sort}
          density={setup.density}
          bar={
            selection.rows.length > 0 ? (
              <BulkBar
                {...{ definition, words, scope, selection, state, further }}
                onOpen={setBulk}
                visible={rows}
                total={result.total}
              />
            ) : null
          }
          onChange={change}
          onResize={
            isPart
              ? undefined
              : (field, width) =>
                  setup.setColumns(
                    setup.choice.map((each) =>
                      each.field === field ? { ...each, width: clampWidth(width) } : each,
                    ),
                  )
          }
          onHover={handleHover}
          empty={part?.empty}
          linkState={linkState}
          grid={inline.grid}
          selection={hasBulk && !tick ? selection : null}
          tick={tick}
          rowMenu={hasMenu ? rowMenu : null}
        />
      )}
      {rows.length > 0 && !Layout ? (
        <Pager state={state} result={result} onChange={(next) => setState({ ...state, ...next })} />
      ) : null}
      {inline.isLoaded ? (
        <Suspense fallback={null}>
          <InlineEditing
            {...{ definition, scope, columns, rows }}
            isOn={inline.isOn}
            start={inline.start}
            root={inline.root}
            onGrid={inline.setGrid}
            onOff={inline.turnOff}
          />
        </Suspense>
      ) : null}
      {bulk ? (
        <Suspense fallback={null}>
          <OpenBulkJob definition={definition} scope={scope} {...bulk} onClose={handleBulkClose} />
        </Suspense>
      ) : null}
      {runner.dialog}
    </div>
  )
}
