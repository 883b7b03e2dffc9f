import ArrowLeftOutlined from '@ant-design/icons/es/icons/ArrowLeftOutlined'
import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import { Button, Checkbox } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useCan } from '@/access/use-can'
import { DeniedError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { useCache } from '@/refine/use-cache'
import { useLiveChanges } from '@/refine/use-live-changes'
import { useRpc } from '@/refine/use-rpc'
import type { Definition } from '@/resource/language/definition.generated'
import { listPath, tableOf } from '@/resource/language/naming'
import { useWords } from '@/resource/language/words'
import { recordTitle, titleFields } from '@/resource/request/query/title'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { daysLeft, type Trashed, useTrash } from '@/resource/screens/trash/use-trash'
import { useErrorText } from '@/resource/use-error-text'
import { ConfirmButton } from '@/ui/confirm-button'
import { DeniedState } from '@/ui/denied-state'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import { RelativeTime } from '@/ui/relative-time'
import { SearchBox } from '@/ui/search-box'
import '@/resource/screens/trash/trash.css'

const STEP = 50

/** The deleted records of a resource, the last one first, for those who may delete. */
export function TrashList({ definition }: { definition: Definition }) {
  const { t } = useTranslation('trash')
  const { t: engine } = useTranslation('engine')
  const words = useWords(definition)
  const errorText = useErrorText()
  const can = useCan()
  const scope = useResourceScope()
  const cache = useCache()
  const trash = useTrash(definition)
  const [size, setSize] = useState(STEP)
  const [search, setSearch] = useState('')
  const [selected, setSelected] = useState<readonly string[]>([])
  const companyId = definition.tenant === false ? null : scope.companyId
  const verdict = can(definition.name, 'delete')
  const query = useRpc<Trashed[]>(
    {
      name: 'trash',
      resource: definition.name,
      args: {
        resource: tableOf(definition),
        company: companyId,
        fields: titleFields(definition),
        max_rows: size,
        q: search,
      },
    },
    { enabled: verdict.allowed, placeholderData: (previous) => previous },
  )
  useLiveChanges({ table: tableOf(definition), companyId, enabled: definition.live !== false }, () => {
    void cache.invalidate(definition.name)
  })
  const rows = query.data ?? []
  const total = rows[0]?.total ?? 0
  const asRow = ({ id, record }: Trashed): Row => ({ ...record, id })
  const titleOf = (each: Trashed) => recordTitle(definition, asRow(each))
  const chosen = rows.filter(({ id }) => selected.includes(id)).map(asRow)
  const isAllChosen = rows.length > 0 && chosen.length === rows.length
  const toggle = (id: string, isOn: boolean) =>
    setSelected(isOn ? [...selected, id] : selected.filter((each) => each !== id))
  const handleDone = async (work: Promise<void>) => {
    await work
    setSelected([])
  }
  const purgeTitle = (of: readonly Row[]) =>
    t('purgeTitle', {
      count: of.length,
      name: words.many,
      title: of[0] ? recordTitle(definition, of[0]) : '',
    })

  const content = () => {
    if (!verdict.allowed || query.error instanceof DeniedError) return <DeniedState />
    if (query.error && !query.data)
      return <ErrorState text={errorText(query.error)} onRetry={() => void query.refetch()} />
    if (!query.data) return <LoadingState rows={6} />
    if (rows.length === 0 && search !== '')
      return (
        <EmptyState
          title={engine('list.noMatch')}
          action={<Button onClick={() => setSearch('')}>{t('all')}</Button>}
        />
      )
    if (rows.length === 0)
      return (
        <EmptyState
          icon={<DeleteOutlined aria-hidden="true" />}
          title={t('nothing')}
          text={t('nothingText', { name: words.many })}
        />
      )
    return (
      <>
        <Checkbox
          className="k-trash-all"
          checked={isAllChosen}
          indeterminate={chosen.length > 0 && !isAllChosen}
          onChange={({ target }) => setSelected(target.checked ? rows.map(({ id }) => id) : [])}
        >
          {t('chooseAll')}
        </Checkbox>
        <ul className="k-trash-rows">
          {rows.map((each) => {
            const row = asRow(each)
            const title = titleOf(each)
            return (
              <li key={each.id}>
                <Checkbox
                  aria-label={t('choose', { title })}
                  checked={selected.includes(each.id)}
                  onChange={({ target }) => toggle(each.id, target.checked)}
                />
                <div className="k-trash-words">
                  <strong>{title}</strong>
                  <span>
                    <RelativeTime value={each.deleted_at} />
                    {each.deleted_name ? ` · ${each.deleted_name}` : null}
                    {` · ${t('left', { count: daysLeft(each.ends_at) })}`}
                  </span>
                </div>
                <span className="k-trash-acts">
                  <Button
                    aria-label={t('restoreOf', { title })}
                    onClick={() => void handleDone(trash.restore([row]))}
                  >
                    {t('restore')}
                  </Button>
                  <ConfirmButton
                    danger
                    aria-label={t('purgeOf', { title })}
                    title={purgeTitle([row])}
                    text={t('purgeText')}
                    okText={t('purge')}
                    onConfirm={() => handleDone(trash.purge([row]))}
                  >
                    {t('purge')}
                  </ConfirmButton>
                </span>
              </li>
            )
          })}
        </ul>
        <footer className="k-trash-foot">
          <span>{t('count', { shown: rows.length, total })}</span>
          {rows.length < total ? <Button onClick={() => setSize(size + STEP)}>{t('more')}</Button> : null}
        </footer>
      </>
    )
  }
  return (
    <section className="k-trash" aria-label={t('title')}>
      <header className="k-trash-head">
        <Link className="k-back" to={listPath(definition)}>
          <ArrowLeftOutlined aria-hidden="true" /> {engine('show.back', { name: words.page })}
        </Link>
        <div className="k-trash-bar">
          <div>
            <h2>{t('title')}</h2>
            <p>{t('about')}</p>
          </div>
          <span className="k-trash-acts" role="status">
            {chosen.length > 0 ? (
              <>
                <span>{t('selected', { count: chosen.length })}</span>
                <Button onClick={() => void handleDone(trash.restore(chosen))}>{t('restore')}</Button>
                <ConfirmButton
                  danger
                  title={purgeTitle(chosen)}
                  text={t('purgeText')}
                  okText={t('purge')}
                  onConfirm={() => handleDone(trash.purge(chosen))}
                >
                  {t('purge')}
                </ConfirmButton>
              </>
            ) : rows.length > 0 && search === '' ? (
              <ConfirmButton
                danger
                title={t('emptyTitle')}
                text={t('emptyText', { count: total, name: total === 1 ? words.one : words.many })}
                okText={t('empty')}
                onConfirm={() => handleDone(trash.empty(companyId))}
              >
                {t('empty')}
              </ConfirmButton>
            ) : null}
          </span>
        </div>
        {verdict.allowed && (rows.length > 0 || search !== '') ? (
          <SearchBox name={t('title')} value={search} onSearch={setSearch} />
        ) : null}
      </header>
      {content()}
    </section>
  )
}
