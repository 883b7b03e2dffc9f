import ArrowLeftOutlined from '@ant-design/icons/es/icons/ArrowLeftOutlined'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate } from 'react-router'
import { DeniedError, GoneError } from '@/data/errors'
import type { Row } from '@/data/rows'
import { askedAction } from '@/resource/actions/actions'
import { useActionRunner } from '@/resource/actions/use-action-runner'
import type { Definition } from '@/resource/definition/definition.generated'
import { listPath, showOf } from '@/resource/definition/naming'
import { FieldCell } from '@/resource/fields/cells'
import { usePublishedRecord } from '@/resource/open-record'
import { recordTitle } from '@/resource/queries/title'
import { useLiveRecord } from '@/resource/queries/use-live'
import { useRecord } from '@/resource/queries/use-record'
import { useResourceScope } from '@/resource/queries/use-scope'
import { readValue } from '@/resource/queries/values'
import { keptReturn, returnPath } from '@/resource/screens/return-path'
import { PrintedSections } from '@/resource/screens/show/printed-sections'
import { OVERVIEW, useRecordTabs } from '@/resource/screens/show/record-tabs'
import { RecordWalk } from '@/resource/screens/show/record-walk'
import { ShowActions } from '@/resource/screens/show/show-actions'
import { ShowTabs } from '@/resource/screens/show/show-tabs'
import { TabContent } from '@/resource/screens/show/tab-content'
import { useTabAddress } from '@/resource/screens/show/use-tab-address'
import { useErrorText } from '@/resource/use-error-text'
import { useWords } from '@/resource/words'
import { DeniedState } from '@/ui/denied-state'
import { EmptyState } from '@/ui/empty-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import '@/resource/screens/show/print.css'
import '@/resource/screens/show/show.css'
import { useIsPrinting } from '@/ui/use-is-printing'

interface ResourceShowProps {
  definition: Definition
  id: string
}

export function ResourceShow({ definition, id }: ResourceShowProps) {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const scope = useResourceScope()
  const errorText = useErrorText()
  const query = useRecord(definition, id, scope)
  const location = useLocation()
  useLiveRecord(definition, id, scope)
  const back = returnPath(location.state, listPath(definition))
  const backLink = (
    <div className="k-show-way">
      <Link className="k-back" to={back}>
        <ArrowLeftOutlined aria-hidden="true" /> {t('show.back', { name: words.many })}
      </Link>
      <RecordWalk definition={definition} id={id} scope={scope} />
    </div>
  )
  // A record that was read stays on screen while a later reading fails, unless it is gone for good.
  if (query.data && !(query.error instanceof GoneError))
    return <RecordView definition={definition} record={query.data} back={back} backLink={backLink} />
  const retry = () => void query.refetch()
  return (
    <div className="k-show">
      {backLink}
      {query.error === null ? (
        <LoadingState rows={10} />
      ) : query.error instanceof GoneError ? (
        <EmptyState
          title={t('show.gone', { name: words.oneInPhrase })}
          action={<Link to={back}>{words.many}</Link>}
        />
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
  const runner = useActionRunner(definition, scope, ({ deleted }) => {
    if (deleted) navigate(back)
  })
  const show = showOf(definition) ?? {}
  const isPrinting = useIsPrinting()
  const { asked, choose } = useTabAddress(definition, String(record.id), OVERVIEW)
  const title = recordTitle(definition, record)
  const tabs = useRecordTabs(definition)
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
    navigate('.', { replace: true, state: keptReturn(location.state, location.pathname) })
  }, [run, record, navigate, location])
  const content = <TabContent definition={definition} name={current} record={record} />
  return (
    <div className="k-show">
      {backLink}
      <header className="k-show-head">
        <div className="k-show-title">
          <h2>{title}</h2>
          {(show.summary ?? []).map((name) => {
            const field = definition.fields[name]
            if (!field) return null
            const value = readValue(record, name, field)
            return (
              <FieldCell
                key={name}
                value={value}
                field={field}
                name={name}
                resource={definition.name}
                row={record}
                dense
              />
            )
          })}
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
