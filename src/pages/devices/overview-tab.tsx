import { CanAccess } from '@refinedev/core'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { TabProps } from '@/resource/engine-context'
import { FieldCell } from '@/resource/fields/cells'
import type { Definition } from '@/resource/language/definition.generated'
import { showPath } from '@/resource/language/naming'
import { useWords } from '@/resource/language/words'
import { readValue } from '@/resource/request/query/values'
import { DefinedScreen } from '@/resource/screens/defined-screen'
import { ShowSections, showSections } from '@/resource/screens/show/sections'
import { Notice } from '@/ui/notice'
import { Sparkline } from '@/ui/sparkline'
import css from './load.module.css'
import { DAY_HOURS, dotsOf, MEASURES, summaryOf, useLoadHistory } from './load-data'

/** The load of the last day above the sections of the device. */
export function OverviewTab({ record, resource }: TabProps) {
  const { t } = useTranslation('devices')
  return (
    <DefinedScreen resource={resource}>
      {(definition) => (
        <>
          {typeof record.inventory_refused === 'string' ? (
            <div className="l-above">
              <Notice
                tone="warning"
                title={t('inventoryRefused.title', { reason: record.inventory_refused })}
                text={t('inventoryRefused.text')}
              />
            </div>
          ) : null}
          <CanAccess resource="device_presence" action="list">
            <Load definition={definition} record={record} />
          </CanAccess>
          <ShowSections definition={definition} sections={showSections(definition)} record={record} />
        </>
      )}
    </DefinedScreen>
  )
}

function Load({ definition, record }: { definition: Definition; record: TabProps['record'] }) {
  const { t } = useTranslation('devices')
  const words = useWords(definition)
  const language = useLanguage()
  const { state } = useLocation()
  const id = String(record.id)
  const { data: history, dataUpdatedAt } = useLoadHistory(id, DAY_HOURS)
  const to = dataUpdatedAt / 1000
  const percent = (value: number) => formatNumber(value / 100, language, { style: 'percent' })
  return (
    <ul className={css.cards} aria-label={t('load.lastDay')}>
      {MEASURES.map((measure) => {
        const field = definition.fields[measure.field]
        const summary = history ? summaryOf(history, measure) : null
        const text = summary
          ? t('load.summary', { average: percent(summary.average), peak: percent(summary.peak) })
          : t('load.empty')
        return (
          <li key={measure.field} className={css.card}>
            <div className={css.head}>
              <span className={css.name}>{words.field(measure.field)}</span>
              {field ? (
                <FieldCell
                  value={readValue(record, measure.field, field)}
                  field={field}
                  name={measure.field}
                  resource={definition.name}
                  row={record}
                  dense={false}
                />
              ) : null}
            </div>
            <Sparkline
              dots={history ? dotsOf(history, measure.at) : []}
              from={to - DAY_HOURS * 3600}
              to={to}
              label={`${words.field(measure.field)}: ${text}`}
            />
            <Link to={`${showPath(definition, id)}?tab=load`} state={state} className={css.note}>
              {history ? text : '…'}
            </Link>
          </li>
        )
      })}
    </ul>
  )
}
