import { type BaseRecord, type HttpError, useList } from '@refinedev/core'
import { Button, Pagination, Segmented, Select, Tag } from 'antd'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useSearchParams } from 'react-router'
import { GuardedButton } from '@/access/guarded-button'
import { useAccess } from '@/access/use-access'
import type { TableRow } from '@/data/database'
import type { Definition } from '@/resource/definition/definition.generated'
import { createPath, showPath } from '@/resource/definition/naming'
import { useWords } from '@/resource/definition/words'
import type { ScreenProps } from '@/resource/engine-context'
import { RecordList } from '@/resource/list/record-list'
import { SearchBox } from '@/resource/list/search-box'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { useErrorText } from '@/resource/use-error-text'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { lazyPart } from '@/ui/load-chunk'
import { LoadingState } from '@/ui/loading-state'
import css from './app-store.module.css'

const AppDialog = lazyPart(() => import('./app-dialog').then((module) => ({ default: module.AppDialog })))

type AppRow = Pick<
  TableRow<'apps'>,
  'id' | 'name' | 'publisher' | 'category' | 'description' | 'winget_id' | 'choco_id' | 'apt_id' | 'brew_id'
>

const APP_CARD = 'id,name,publisher,category,description,winget_id,choco_id,apt_id,brew_id'
const PAGE_SIZE = 24
const ACTS = ['install', 'update', 'remove'] as const

/** The systems that an app has a package for. */
const systemsOf = ({ winget_id, choco_id, apt_id, brew_id }: AppRow): string[] => [
  ...(winget_id || choco_id ? ['Windows'] : []),
  ...(apt_id ? ['Linux'] : []),
  ...(brew_id ? ['macOS'] : []),
]

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

function Catalog({ definition, toggle }: { definition: Definition; toggle: React.ReactNode }) {
  const { t } = useTranslation(['software', 'engine'])
  const { can } = useAccess()
  const words = useWords(definition)
  const errorText = useErrorText()
  const [params, setParams] = useSearchParams()
  const [asked, setAsked] = useState<{ app: AppRow; act: (typeof ACTS)[number] } | null>(null)
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
    errorNotification: false,
    queryOptions: { placeholderData: (before) => before },
  })
  const field = definition.fields.category
  const categories = field?.type === 'enum' ? Object.keys(field.values) : []
  const apps = query.data?.data ?? []
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
          {can('apps', 'create').allowed ? (
            <Link to={createPath(definition)}>
              <Button type="primary" tabIndex={-1}>
                {t('store.add')}
              </Button>
            </Link>
          ) : null}
        </span>
      </div>
      {query.isPending ? (
        <LoadingState rows={8} />
      ) : query.data === undefined ? (
        <ErrorState text={errorText(query.error)} onRetry={() => query.refetch()} />
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
            <li key={app.id} className={css.card}>
              <div className={css.head}>
                <h2 className={css.name}>
                  <Link to={showPath(definition, app.id)}>{app.name}</Link>
                </h2>
                <Tag>{words.value('category', app.category)}</Tag>
              </div>
              <span className={css.publisher}>{app.publisher ?? '–'}</span>
              <p className={css.text}>{app.description}</p>
              <span className={css.systems}>
                {systemsOf(app).map((system) => (
                  <Tag key={system}>{system}</Tag>
                ))}
              </span>
              <div className={css.acts}>
                {ACTS.map((act) => (
                  <GuardedButton
                    key={act}
                    resource="apps"
                    action="run"
                    size="small"
                    type={act === 'install' ? 'primary' : 'default'}
                    danger={act === 'remove'}
                    aria-label={t(`act.${act}`, { app: app.name })}
                    onClick={() => setAsked({ app, act })}
                  >
                    {t(`ok.${act}`)}
                  </GuardedButton>
                ))}
              </div>
            </li>
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
          <AppDialog
            records={[asked.app]}
            resource="apps"
            action={asked.act}
            onClose={() => setAsked(null)}
          />
        </Suspense>
      ) : null}
    </div>
  )
}
