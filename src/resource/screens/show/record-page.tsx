import ArrowLeftOutlined from '@ant-design/icons/es/icons/ArrowLeftOutlined'
import { type ReactNode, Suspense, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate } from 'react-router'
import { useCan } from '@/access/use-can'
import { DeniedError, GoneError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { FieldCell } from '@/resource/fields/cells'
import { commentsOf } from '@/resource/language/comments'
import type { Definition } from '@/resource/language/definition.generated'
import { listPath, showOf } from '@/resource/language/naming'
import { useWords } from '@/resource/language/words'
import { askedAction } from '@/resource/request/filter/actions'
import { recordTitle } from '@/resource/request/query/title'
import { useLiveRecord } from '@/resource/request/query/use-live'
import { useRecord } from '@/resource/request/query/use-record-query'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { useActionRunner } from '@/resource/screens/actions/use-action-runner'
import { keptReturn, returnPath } from '@/resource/screens/form/return-path'
import { ShowTabs } from '@/resource/screens/form/show-tabs'
import { usePublishedRecord } from '@/resource/screens/show/open-record'
import { OVERVIEW, useRecordTabs, useTabAddress } from '@/resource/screens/show/record-tabs'
import { RecordWalk } from '@/resource/screens/show/record-walk'
import { ShowActions } from '@/resource/screens/show/show-actions'
import { useErrorText } from '@/resource/use-error-text'
import { DeniedState } from '@/ui/denied-state'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState, PartLoading } from '@/ui/loading-state'
import '@/resource/screens/show/print.css'
import '@/resource/screens/show/show.css'
import { hasSections, ShowSections, showSections, summaryFields } from '@/resource/screens/show/sections'
import { TabContent } from '@/resource/screens/show/tab-content'
import { lazyPart } from '@/ui/load-chunk'
import { useIsPrinting } from '@/ui/use-is-printing'

const KeptDrafts = lazyPart(() =>
  import('@/resource/screens/comments/kept-drafts').then((module) => ({ default: module.KeptDrafts })),
)

const TrashedRecord = lazyPart(() =>
  import('@/resource/screens/trash/trashed-record').then((module) => ({ default: module.TrashedRecord })),
)

interface PrintedSectionsProps {
  definition: Definition
  record: Row
  /** The open tab, which is printed as it is shown. */
  except: string
  overview: string
}

/** The sections under the tabs that are not open: paper has no tabs to turn. */
function PrintedSections({ definition, record, except, overview }: PrintedSectionsProps) {
  const can = useCan()
  const { filter } = useResourceScope()
  const words = useWords(definition)
  const tabs = Object.entries(showOf(definition)?.tabs ?? {}).filter(
    ([name, { sections, policy }]) =>
      name !== except &&
      sections &&
      hasSections(definition, sections, record, filter) &&
      (!policy || can(policy.object, policy.verb).allowed),
  )
  return (
    <div className="k-printed">
      {except === overview ? null : (
        <ShowSections definition={definition} sections={showSections(definition)} record={record} />
      )}
      {tabs.map(([name, { sections = {} }]) => (
        <section key={name}>
          <h2>{words.tab(name)}</h2>
          <ShowSections definition={definition} sections={sections} record={record} />
        </section>
      ))}
    </div>
  )
}

interface RecordPageProps {
  definition: Definition
  id: string
}

export function RecordPage({ definition, id }: RecordPageProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const scope = useResourceScope()
  const errorText = useErrorText()
  const query = useRecord(definition, id, scope)
  const can = useCan()
  const location = useLocation()
  useLiveRecord(definition, id, scope)
  const back = returnPath(location.state, listPath(definition))
  const backLink = (
    <div className="k-show-way">
      <Link className="k-back" to={back}>
        <ArrowLeftOutlined aria-hidden="true" /> {t('show.back', { name: words.page })}
      </Link>
      <RecordWalk definition={definition} id={id} scope={scope} />
    </div>
  )
  // A record that was read stays on screen while a later reading fails, unless it is gone for good.
  if (query.data && !(query.error instanceof GoneError))
    return <RecordView definition={definition} record={query.data} back={back} backLink={backLink} />
  const retry = () => void query.refetch()
  const gone = (
    <EmptyState title={t('show.gone', { name: words.one })} action={<Link to={back}>{words.page}</Link>} />
  )
  const comments = commentsOf(definition)
  return (
    <div className="k-show">
      {backLink}
      {query.error === null ? (
        <LoadingState rows={10} />
      ) : query.error instanceof GoneError ? (
        <>
          {definition.trash && can(definition.name, 'delete').allowed ? (
            <Suspense fallback={<PartLoading />}>
              <TrashedRecord definition={definition} id={id}>
                {gone}
              </TrashedRecord>
            </Suspense>
          ) : (
            gone
          )}
          {comments ? (
            <Suspense fallback={null}>
              <KeptDrafts comments={comments} recordId={id} />
            </Suspense>
          ) : null}
        </>
      ) : query.error instanceof DeniedError ? (
        <DeniedState text={errorText(query.error)} />
      ) : (
        <ErrorState text={errorText(query.error)} onRetry={retry} />
      )}
    </div>
  )
}

interface RecordProps {
  definition: Definition
  record: Row
  back: string
  backLink: ReactNode
}

function RecordView({ definition, record, back, backLink }: RecordProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const scope = useResourceScope()
  const navigate = useNavigate()
  const location = useLocation()
  const runner = useActionRunner(
    definition,
    scope,
    ({ deleted }) => {
      if (deleted) navigate(back)
    },
    { isPageOfRecord: true },
  )
  const isPrinting = useIsPrinting()
  const { asked, choose } = useTabAddress(definition, String(record.id), OVERVIEW)
  const title = recordTitle(definition, record)
  const tabs = useRecordTabs(definition, record)
  const current = tabs.find(({ name }) => name === asked)?.name ?? OVERVIEW
  // A form that was just saved may ask for the action that follows it; once, not again on the way back.
  const awaited = useRef(askedAction(definition, location.state))
  const { run, remove } = runner
  usePublishedRecord({ definition, record, words, run, remove })
  useEffect(() => {
    const action = awaited.current
    awaited.current = undefined
    if (!action) return
    run(action, [record])
    navigate(
      { pathname: '.', search: location.search },
      { replace: true, state: keptReturn(location.state, location.pathname) },
    )
  }, [run, record, navigate, location])
  const content = <TabContent definition={definition} name={current} record={record} />
  return (
    <div className="k-show">
      {backLink}
      <header className="k-show-head">
        <div className="k-show-title">
          <h2>{title}</h2>
          {summaryFields(definition, record, scope.filter).map(({ name, field, value, isLabeled }) => (
            <span key={name} className="k-show-fact">
              {isLabeled ? <span className="k-show-fact-name">{words.field(name)}</span> : null}
              <FieldCell
                value={value}
                field={field}
                name={name}
                resource={definition.name}
                row={record}
                dense
              />
            </span>
          ))}
        </div>
        <ShowActions
          definition={definition}
          words={words}
          scope={scope}
          record={record}
          runner={runner}
          linkState={location.state}
        />
      </header>
      {tabs.length > 1 ? (
        <ShowTabs label={t('show.tabs', { title })} tabs={tabs} current={current} onChange={choose} />
      ) : null}
      {tabs.length > 1 ? (
        <div role="tabpanel" id={`panel-${current}`} aria-labelledby={`tab-${current}`}>
          {content}
        </div>
      ) : (
        content
      )}
      {isPrinting ? (
        <PrintedSections definition={definition} record={record} except={current} overview={OVERVIEW} />
      ) : null}
      {runner.dialog}
    </div>
  )
}
