import { type BaseRecord, CanAccess, type HttpError, useList } from '@refinedev/core'
import { Button, Pagination, Segmented, Select } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { useLiveRefresh } from '@/refine/use-live-refresh'
import { useRpc } from '@/refine/use-rpc'
import type { ScreenProps } from '@/resource/engine-context'
import type { Definition } from '@/resource/language/definition.generated'
import { createPath } from '@/resource/language/naming'
import { useWords } from '@/resource/language/words'
import { QueryState } from '@/resource/query-state'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { RecordList } from '@/resource/screens/list/record-list'
import { useCompanyScope } from '@/session/use-company-scope'
import { EmptyState } from '@/ui/empty-state'
import { lazyPart } from '@/ui/load-chunk'
import { SearchBox } from '@/ui/search-box'
import { type AppAct, AppCard, type AppRow, type AppState } from './app-card'
import css from './app-store.module.css'

const AppDialog = lazyPart(() => import('./app-dialog').then((module) => ({ default: module.AppDialog })))

const UpdateOutdatedDialog = lazyPart(() =>
  import('./update-outdated-dialog').then((module) => ({ default: module.UpdateOutdatedDialog })),
)

const APP_CARD = 'id,name,publisher,category,description,winget_id,choco_id,apt_id,brew_id'
const PAGE_SIZE = 24
const LIVE_MS = 5_000

/** The catalog of apps as cards, or as the list that every resource has. */
export function AppStoreScreen({ resource }: ScreenProps) {
  const { t } = useTranslation('software')
  const [params, setParams] = useSearchParams()
  const isList = params.get('layout') === 'list'
  const toggle = (
    <Segmented
      aria-label={t('store.layout')}
      value={isList ? 'list' : 'cards'}
      options={[
        { value: 'cards', label: t('store.cards') },
        { value: 'list', label: t('store.list') },
      ]}
      onChange={(value) => setParams(value === 'list' ? { layout: 'list' } : {})}
    />
  )
  return (
    <DefinedScreen resource={resource}>
      {(definition) =>
        isList ? (
          <RecordList definition={definition} action={toggle} />
        ) : (
          <Catalog definition={definition} toggle={toggle} />
        )
      }
    </DefinedScreen>
  )
}

/** Whether the last answer, as the cache holds it, has a task under way. */
const isUnderWay = (answer: unknown) =>
  ((answer as { data?: AppState[] } | undefined)?.data ?? []).some(({ job }) => job !== null)

function Catalog({ definition, toggle }: { definition: Definition; toggle: React.ReactNode }) {
  const { t } = useTranslation(['software', 'engine'])
  const { companyId } = useCompanyScope()
  const words = useWords(definition)
  const [params, setParams] = useSearchParams()
  const [asked, setAsked] = useState<{ app: AppRow; act: AppAct | 'updateAll' } | null>(null)
  const search = params.get('q') ?? ''
  const category = params.get('category')
  const page = Math.max(1, Number(params.get('page')) || 1)
  const set = (changes: Record<string, string | null>) =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries({ page: null, ...changes }))
          if (value) next.set(name, value)
          else next.delete(name)
        return next
      },
      { replace: true },
    )
  const { query } = useList<AppRow & BaseRecord, HttpError>({
    resource: 'apps',
    filters: [
      { field: 'enabled', operator: 'eq', value: true },
      ...(category ? [{ field: 'category', operator: 'eq' as const, value: category }] : []),
    ],
    sorters: [
      { field: 'name_key', order: 'asc' },
      { field: 'id', order: 'asc' },
    ],
    pagination: { currentPage: page, pageSize: PAGE_SIZE },
    meta: { select: APP_CARD, ...(search ? { search } : {}) },
    queryOptions: { placeholderData: (before) => before },
  })
  const field = definition.fields.category
  const categories = field?.type === 'enum' ? Object.keys(field.values) : []
  const apps = query.data?.data ?? []
  const states = useRpc<AppState[]>(
    {
      name: 'app_store_state',
      args: { app_ids: apps.map(({ id }) => id), company: companyId },
      resource: 'device_software',
    },
    {
      enabled: companyId !== null && apps.length > 0,
      placeholderData: (before) => before,
      refetchInterval: ({ state }) => (isUnderWay(state.data) ? LIVE_MS : false),
    },
  )
  useLiveRefresh(companyId, ['jobs'], [states])
  return (
    <div className={css.page}>
      <div className={css.bar}>
        <SearchBox name={words.many} value={search} onSearch={(text) => set({ q: text.trim() })} />
        <Select
          aria-label={words.field('category')}
          className={css.category ?? ''}
          value={category ?? ''}
          options={[
            { value: '', label: t('store.allCategories') },
            ...categories.map((value) => ({ value, label: words.value('category', value) })),
          ]}
          onChange={(value) => set({ category: value })}
        />
        <span className={css.end}>
          {toggle}
          <CanAccess resource="apps" action="create">
            <Link to={createPath(definition)}>
              <Button type="primary" tabIndex={-1}>
                {t('store.add')}
              </Button>
            </Link>
          </CanAccess>
        </span>
      </div>
      {query.data === undefined ? (
        <QueryState query={query} rows={8} />
      ) : apps.length === 0 ? (
        <EmptyState
          title={search || category ? t('store.noneMatch') : t('store.empty')}
          {...(search || category
            ? { action: <Button onClick={() => setParams({})}>{t('store.clear')}</Button> }
            : {})}
        />
      ) : (
        <ul className={css.cards} aria-label={words.many}>
          {apps.map((app) => (
            <AppCard
              key={app.id}
              app={app}
              definition={definition}
              state={
                companyId === null || (states.isError && !states.data)
                  ? null
                  : states.data?.find(({ id }) => id === app.id)
              }
              onAct={(act) => setAsked({ app, act })}
            />
          ))}
        </ul>
      )}
      {(query.data?.total ?? 0) > PAGE_SIZE ? (
        <Pagination
          align="end"
          current={page}
          pageSize={PAGE_SIZE}
          total={query.data?.total ?? 0}
          showSizeChanger={false}
          onChange={(next) => set({ page: next === 1 ? null : String(next) })}
        />
      ) : null}
      {asked ? (
        <Suspense fallback={null}>
          {asked.act !== 'updateAll' ? (
            <AppDialog
              records={[asked.app]}
              resource="apps"
              action={asked.act}
              onClose={() => setAsked(null)}
            />
          ) : companyId !== null ? (
            <UpdateOutdatedDialog app={asked.app} companyId={companyId} onClose={() => setAsked(null)} />
          ) : null}
        </Suspense>
      ) : null}
    </div>
  )
}
