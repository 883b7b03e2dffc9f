import { Segmented } from 'antd'
import { Suspense, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { TabProps } from '@/resource/engine-context'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { QueryState } from '@/resource/query-state'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { EmptyState } from '@/ui/empty-state'
import { lazyPart } from '@/ui/load-chunk'
import { PartLoading } from '@/ui/loading-state'
import { useTabParams } from '@/ui/use-tab-params'
import css from './load.module.css'
import { DAY_HOURS, dotsOf, MEASURES, summaryOf, useLoadHistory } from './load-data'

const LoadChart = lazyPart(() => import('./load-chart').then((module) => ({ default: module.LoadChart })))

/** Hours by the name in the address. */
const SPANS = { day: DAY_HOURS, week: 7 * DAY_HOURS, month: 30 * DAY_HOURS, quarter: 90 * DAY_HOURS } as const
type Span = keyof typeof SPANS
const isSpan = (value: string | undefined): value is Span =>
  value !== undefined && Object.hasOwn(SPANS, value)

/** The history of the device's load. */
export function LoadTab({ record, resource }: TabProps) {
  return (
    <DefinedScreen resource={resource}>
      {(definition) => <History definition={definition} deviceId={String(record.id)} />}
    </DefinedScreen>
  )
}

function History({ definition, deviceId }: { definition: Definition; deviceId: string }) {
  const { t } = useTranslation('devices')
  const words = useWords(definition)
  const language = useLanguage()
  const { params, setParams } = useTabParams(['span'])
  const span = isSpan(params.span) ? params.span : 'day'
  const query = useLoadHistory(deviceId, SPANS[span])
  const history = query.data
  const lines = useMemo(
    () =>
      history
        ? MEASURES.map(({ field, at }) => ({ name: words.field(field), dots: dotsOf(history, at) }))
        : [],
    [history, words],
  )
  const percent = (value: number) => formatNumber(value / 100, language, { style: 'percent' })
  if (query.error && !history) return <QueryState query={query} />
  return (
    <>
      <div className={css.bar}>
        <Segmented
          aria-label={t('load.span')}
          value={span}
          options={(Object.keys(SPANS) as Span[]).map((value) => ({
            value,
            label: t(`load.spans.${value}`),
          }))}
          onChange={(value) => setParams({ span: value === 'day' ? '' : value })}
        />
      </div>
      {!history ? (
        <QueryState query={query} rows={6} />
      ) : history.points.length === 0 ? (
        <EmptyState title={t('load.empty')} text={t('load.emptyText')} />
      ) : (
        <>
          <div className={css.plot}>
            <Suspense fallback={<PartLoading />}>
              <LoadChart lines={lines} label={t('load.chart')} isLong={span !== 'day'} />
            </Suspense>
          </div>
          <dl className={css.figures}>
            {MEASURES.map((measure) => {
              const summary = summaryOf(history, measure)
              return (
                <div key={measure.field}>
                  <dt>{words.field(measure.field)}</dt>
                  <dd>
                    {summary
                      ? t('load.summary', { average: percent(summary.average), peak: percent(summary.peak) })
                      : t('load.empty')}
                  </dd>
                </div>
              )
            })}
          </dl>
        </>
      )}
    </>
  )
}
