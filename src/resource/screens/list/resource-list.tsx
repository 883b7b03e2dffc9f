import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { isOutOfRole } from '@/access/policy'
import { useAccess } from '@/access/use-access'
import type { Row } from '@/data/rows'
import { actionsOn } from '@/resource/actions/actions'
import { useActionRunner } from '@/resource/actions/use-action-runner'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { canCreate, canDelete, canEdit, canImport, createPath, hasShow } from '@/resource/definition/naming'
import { ExportButton } from '@/resource/export/export-button'
import { ImportButton } from '@/resource/import/import-button'
import { InlineSwitch } from '@/resource/inline/inline-switch'
import { useInlineEdit } from '@/resource/inline/use-inline-edit'
import { clampWidth } from '@/resource/preferences/column-choice'
import { useListSetup } from '@/resource/preferences/use-list-setup'
import { effectiveSort, hasSearch } from '@/resource/queries/list-request'
import { useList } from '@/resource/queries/use-list'
import { prefetchRecord } from '@/resource/queries/use-record'
import { useResourceScope } from '@/resource/queries/use-scope'
import { BulkBar } from '@/resource/screens/list/bulk-bar'
import { listFields } from '@/resource/screens/list/columns'
import { FilterBar } from '@/resource/screens/list/filter-bar'
import { ListBody } from '@/resource/screens/list/list-body'
import { changeList } from '@/resource/screens/list/list-state'
import { LivePill } from '@/resource/screens/list/live-pill'
import { Pager } from '@/resource/screens/list/pager'
import { RowMenu } from '@/resource/screens/list/row-menu'
import { SearchBox } from '@/resource/screens/list/search-box'
import { SortMenu } from '@/resource/screens/list/sort-menu'
import { useSelection } from '@/resource/screens/list/use-selection'
import { ViewTabs } from '@/resource/screens/list/view-tabs'
import { ListTools } from '@/resource/views/list-tools'
import { useWords } from '@/resource/words'
import { lazyPart } from '@/ui/load-chunk'
import '@/resource/screens/list/list.css'

// Editing in cells comes when somebody edits in them.
const InlineEditing = lazyPart(() =>
  import('@/resource/inline/inline-editing').then((module) => ({ default: module.InlineEditing })),
)

const NO_ROWS: readonly Row[] = []
/** A pointer that crosses the table asks for nothing; one that rests on a row is about to open it. */
const HOVER_MS = 80

interface ResourceListProps {
  definition: Definition
  /** The record whose rows these are: the field that points at it, and its id. */
  under?: {
    field: string
    id: string
    /** Creates one for that record without leaving it; false where none is created from there. */
    create?: false | (() => void)
  }
}

export function ResourceList({ definition, under }: ResourceListProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const scope = useResourceScope()
  const client = useQueryClient()
  const navigate = useNavigate()
  const location = useLocation()
  const setup = useListSetup(definition, scope, under?.field)
  const { state, setState, columns } = setup
  const extra: Filter | undefined = under && { [under.field]: { _eq: under.id } }
  const inline = useInlineEdit(definition, columns)
  const fields = [...listFields(definition, columns), ...(inline.grid?.fields ?? [])]
  const result = useList(definition, fields, state, scope, extra)
  const sort = effectiveSort(definition, state)
  const rows = result.list?.rows ?? NO_ROWS
  const selection = useSelection(rows)
  const runner = useActionRunner(definition, scope, ({ deleted }) => {
    if (deleted) selection.clear()
  })
  const change = (next: Parameters<typeof changeList>[1], options?: { replace?: boolean }) =>
    setState(changeList(state, next), options)

  const hover = useRef<number | undefined>(undefined)
  useEffect(() => () => window.clearTimeout(hover.current), [])
  const handleHover = (row: Row) => {
    window.clearTimeout(hover.current)
    if (!hasShow(definition)) return
    hover.current = window.setTimeout(
      () => prefetchRecord(client, definition, String(row.id), scope),
      HOVER_MS,
    )
  }

  const from = `${location.pathname}${location.search}`
  const linkState = { from }
  const { can } = useAccess()
  const isForRole = (verb: string, object = definition.name) => !isOutOfRole(can(object, verb))
  const hasActions = (place: 'bulk' | 'row') =>
    actionsOn(definition, place).some(({ verb, object }) => isForRole(verb, object)) ||
    (canDelete(definition) && isForRole('delete')) ||
    (canEdit(definition) && isForRole('edit'))
  const hasBulk = (actionsOn(definition, 'bulk').length > 0 || canDelete(definition)) && hasActions('bulk')
  const hasMenu = hasShow(definition) || hasActions('row')
  return (
    <div ref={inline.root} className="k-list" data-density={setup.density}>
      <div className="k-list-bar">
        {hasSearch(definition) ? (
          <SearchBox name={words.many} value={state.q} onSearch={(q) => change({ q }, { replace: true })} />
        ) : null}
        <ViewTabs
          definition={definition}
          state={state}
          saved={setup.views}
          chosen={setup.chosen}
          onChange={setState}
        />
        <FilterBar definition={definition} words={words} state={state} extra={extra} onChange={change} />
        <SortMenu
          definition={definition}
          words={words}
          sort={sort}
          isChosen={state.sort.length > 0}
          onSort={(next) => change({ sort: next })}
        />
        {under ? null : <ListTools definition={definition} words={words} scope={scope} setup={setup} />}
        <InlineSwitch definition={definition} inline={inline} />
        <span className="k-list-end">
          <LivePill {...{ definition, scope, rows, state, extra }} />
          {canImport(definition) && !under ? <ImportButton definition={definition} /> : null}
          <ExportButton {...{ definition, columns, state, scope, extra }} total={result.total} />
          {canCreate(definition) && under?.create !== false ? (
            <GuardedButton
              resource={definition.name}
              action="create"
              type="primary"
              icon={<PlusOutlined aria-hidden="true" />}
              onClick={under?.create || (() => navigate(createPath(definition), { state: linkState }))}
            >
              {t('list.create', { name: words.one })}
            </GuardedButton>
          ) : null}
        </span>
      </div>
      {selection.rows.length > 0 ? (
        <BulkBar
          definition={definition}
          words={words}
          scope={scope}
          rows={selection.rows}
          visible={rows}
          total={result.total}
          state={state}
          extra={extra}
          runner={runner}
          onClear={selection.clear}
        />
      ) : null}
      <ListBody
        definition={definition}
        words={words}
        columns={columns}
        result={result}
        state={state}
        sort={sort}
        onChange={change}
        onResize={
          under
            ? undefined
            : (field, width) =>
                setup.setColumns(
                  setup.choice.map((each) =>
                    each.field === field ? { ...each, width: clampWidth(width) } : each,
                  ),
                )
        }
        onHover={handleHover}
        linkState={linkState}
        grid={inline.grid}
        selection={hasBulk ? selection : null}
        rowMenu={
          hasMenu
            ? (row) => (
                <RowMenu
                  definition={definition}
                  words={words}
                  scope={scope}
                  row={row}
                  runner={runner}
                  linkState={linkState}
                />
              )
            : null
        }
      />
      {rows.length > 0 ? (
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
      {runner.dialog}
    </div>
  )
}
