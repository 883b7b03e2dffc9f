import DownloadOutlined from '@ant-design/icons/es/icons/DownloadOutlined'
import { Button } from 'antd'
import { type CSSProperties, type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { DeniedError } from '@/data/errors'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { useRpc } from '@/refine/use-rpc'
import { FieldCell } from '@/resource/fields/cells'
import { kindOf } from '@/resource/fields/kinds'
import { targetOf } from '@/resource/fields/related-field'
import type { Dashboard, Definition, Figure } from '@/resource/language/definition.generated'
import { listOf, tableOf } from '@/resource/language/naming'
import { findDefinition } from '@/resource/language/registry'
import { useValueWords, useWords } from '@/resource/language/words'
import { matchingFilter } from '@/resource/request/filter/matching-filter'
import { listFilter, viewOf } from '@/resource/request/query/list-request'
import { writeListState } from '@/resource/request/query/list-state'
import { recordTitle } from '@/resource/request/query/title'
import { useRecordTitles } from '@/resource/request/query/use-record-titles'
import type { LayoutProps } from '@/resource/screens/list/layouts/board-view'
import { FigureTable } from '@/resource/screens/list/layouts/figure-table'
import {
  type Answer,
  askedFigures,
  figureState,
  ignoredFields,
  isCount,
  isTable,
  type KeyWord,
  type Point,
  periodWord,
  separateFields,
  tableState,
} from '@/resource/screens/list/layouts/figures'
import { useFigureUnit } from '@/resource/screens/list/layouts/use-figure-unit'
import type { FigureLine, FigureSheet } from '@/resource/tools/export/export-figures'
import { formatShare } from '@/resource/tools/export/share'
import { useErrorText } from '@/resource/use-error-text'
import { DeniedState } from '@/ui/denied-state'
import { ErrorState } from '@/ui/error-state'
import { LoadingState } from '@/ui/loading-state'
import '@/resource/screens/list/layouts/figures.css'
import '@/resource/screens/list/layouts/layouts.css'

/** Figures are a summary: a list that somebody works on is read again at once, they within a minute. */
const FRESH_MS = 60_000

export function DashboardView({ definition, words, state, scope, extra }: LayoutProps) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const errorText = useErrorText()
  const dashboard = listOf(definition)?.dashboard ?? {}
  const view = viewOf(definition, state)?.filter ?? {}
  const without = separateFields(dashboard, view)
  const filter = listFilter(definition, state, { find: findDefinition, extra, without })
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const { data, error, isPlaceholderData, refetch } = useRpc<Record<string, Answer>>(
    {
      name: 'list_figures',
      args: {
        resource: tableOf(definition),
        figures: askedFigures(definition, dashboard, scope, view),
        filter: matchingFilter(definition, filter, scope.companyId, scope.filter),
        q: state.q.trim(),
        zone,
      },
      resource: definition.name,
      // `$now` in the resolved filters would change the query key on every render.
      asked: { dashboard, view, filter, q: state.q.trim(), zone },
      companyId: scope.companyId,
    },
    { staleTime: FRESH_MS, retry: false, placeholderData: (previous) => previous },
  )
  const keyWord = useKeyWords(definition, dashboard, data, scope)
  const unitOf = useFigureUnit(definition)
  const sheets = useRef(new Map<string, () => FigureSheet>())
  if (!data && error instanceof DeniedError)
    return <DeniedState title={t('list.deniedTitle', { name: words.many })} text={errorText(error)} />
  if (!data && error) return <ErrorState text={errorText(error)} onRetry={() => void refetch()} />
  if (!data) return <LoadingState rows={8} />

  const link = (figure: Figure, key?: string | null) =>
    `?${writeListState(figureState(state, figure, key, view), definition)}`
  const shown = (figure: Figure, value: number | null): ReactNode => {
    if (value === null && isCount(figure)) return formatNumber(0, language)
    const field = figure.of ? definition.fields[figure.of] : undefined
    if (value === null) return '–'
    if (!field) return formatNumber(value, language)
    return (
      <FieldCell
        value={value}
        field={field}
        name={figure.of ?? ''}
        resource={definition.name}
        row={{}}
        dense
      />
    )
  }
  const periodOf = (figure: Figure, key: string | null = '') =>
    key ? periodWord(key, figure.every, language) : ''
  const body = (name: string, figure: Figure, answer: Answer | undefined) => {
    if (answer === undefined) return <p className="k-board-note">–</p>
    if (isTable(answer))
      return (
        <FigureTable
          {...{ definition, figure, answer, scope }}
          name={words.figure(name)}
          linkTo={(place) => `?${writeListState(tableState(state, figure, place, view), definition)}`}
          wordOf={keyWord}
          show={(value) => shown(figure, value)}
          sheets={sheets}
        />
      )
    if (!Array.isArray(answer)) {
      if (figure.show !== 'share')
        return (
          <Link className="k-figure-value" to={link(figure)}>
            {shown(figure, answer.value)}
          </Link>
        )
      const { value, of = 0 } = answer
      return (
        <>
          <Link className="k-figure-value" to={link(figure)}>
            {formatShare(value ?? 0, of, language) ?? '–'}
          </Link>
          <span className="k-figure-note">
            {t('layout.shareOf', {
              value: formatNumber(value ?? 0, language),
              of: formatNumber(of, language),
            })}
          </span>
        </>
      )
    }
    if (answer.length === 0) return <p className="k-board-note">{t('layout.emptyColumn')}</p>
    const most = Math.max(1, ...answer.map(({ value }) => value ?? 0))
    const size = (value: number | null) =>
      ({ '--k-share': `${((value ?? 0) / most) * 100}%` }) as CSSProperties
    if (figure.show === 'series')
      return (
        <>
          <ol className="k-figure-series">
            {answer.map(({ key, value }) => (
              <li key={key}>
                <Link to={link(figure, key)} title={periodOf(figure, key)} style={size(value)}>
                  <span className="k-figure-bar" />
                  <span className="k-visually-hidden">
                    {periodOf(figure, key)}: {shown(figure, value ?? 0)}
                  </span>
                  {isCount(figure) ? (
                    <span className="k-figure-tick" aria-hidden="true">
                      {value ? shown(figure, value) : ''}
                    </span>
                  ) : null}
                </Link>
              </li>
            ))}
          </ol>
          <p className="k-figure-axis" aria-hidden="true">
            <span>{periodOf(figure, answer[0]?.key)}</span>
            {/* A duration is wider than a bar, so that one stands for all. */}
            {isCount(figure) ? null : (
              <span>
                {t('layout.highest')} {shown(figure, most)}
              </span>
            )}
            <span>{periodOf(figure, answer.at(-1)?.key)}</span>
          </p>
        </>
      )
    return (
      <ol className="k-figure-top">
        {answer.map(({ key, value }) => (
          <li key={key ?? ''}>
            <Link to={link(figure, key)} style={size(value)}>
              <span>{keyWord(figure.by, key)}</span>
              <span className="k-figure-number">{shown(figure, value)}</span>
            </Link>
          </li>
        ))}
      </ol>
    )
  }
  /** The value of a series: a month as it is written on the screen, and the first day of any other period. */
  const labelOf = (figure: Figure, key: string | null) => {
    if (figure.show !== 'series') return { label: key === '' ? '' : keyWord(figure.by, key) }
    return figure.every === 'month' ? { label: periodOf(figure, key) } : { day: key }
  }
  const save = async () => {
    const { exportFigures } = await import('@/resource/tools/export/export-figures')
    const lines = Object.entries(dashboard).flatMap(([name, figure]): FigureLine[] => {
      const answer = data[name]
      if (answer && isTable(answer)) return []
      const { unit, inUnit } = unitOf(figure)
      const points = Array.isArray(answer) ? answer : answer ? [{ key: '', value: answer.value }] : []
      const of = figure.show === 'share' && answer && !Array.isArray(answer) ? (answer.of ?? 0) : undefined
      return points.map(({ key, value }) => ({
        figure: unit ? `${words.figure(name)} (${unit})` : words.figure(name),
        ...labelOf(figure, key),
        value: inUnit(value),
        ...(of === undefined ? {} : { of }),
        isCount: isCount(figure),
      }))
    })
    await exportFigures(
      words.page,
      (['figure', 'value', 'result', 'count', 'whole'] as const).map((title) => t(`layout.${title}`)),
      lines,
      Object.keys(dashboard).flatMap((name) => sheets.current.get(words.figure(name))?.() ?? []),
      language,
    )
  }
  return (
    <section className="k-dashboard" aria-label={t('layout.dashboard')} data-stale={isPlaceholderData}>
      <div className="k-dashboard-bar">
        <Button icon={<DownloadOutlined aria-hidden="true" />} onClick={save}>
          {t('layout.saveFigures')}
        </Button>
      </div>
      <div className="k-figure-grid">
        {Object.entries(dashboard).map(([name, figure]) => (
          <article key={name} className="k-figure" data-show={figure.show} aria-label={words.figure(name)}>
            <h2>{words.figure(name)}</h2>
            {body(name, figure, data[name])}
            <ViewNote fields={ignoredFields(figure, view)} label={words.field} />
          </article>
        ))}
      </div>
    </section>
  )
}

/** Says which conditions of the open view a figure does not follow. */
function ViewNote({ fields, label }: { fields: readonly string[]; label: (name: string) => string }) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  if (fields.length === 0) return null
  const names = new Intl.ListFormat(language, { type: 'conjunction' }).format(fields.map(label))
  return <p className="k-figure-note">{t('layout.notOfView', { fields: names })}</p>
}

/** Names the values that figures belong to: words of choices, titles of records. */
function useKeyWords(
  definition: Definition,
  dashboard: Dashboard,
  data: Record<string, Answer> | undefined,
  scope: LayoutProps['scope'],
): KeyWord {
  const { t } = useTranslation('engine')
  const valueWord = useValueWords()
  const words = useWords(definition)
  const referred = (name: string | undefined, points: readonly Point[]) => {
    const target = name ? targetOf(definition.fields[name]) : null
    if (target === null) return []
    return points.flatMap(({ key }) => (key === null ? [] : [{ resource: target, id: key }]))
  }
  const references = Object.entries(dashboard).flatMap(([name, figure]) => {
    const answer = data?.[name]
    if (!answer) return []
    if (isTable(answer))
      return [...referred(figure.by, answer.rows), ...referred(figure.across, answer.columns)]
    return figure.show === 'top' && Array.isArray(answer) ? referred(figure.by, answer) : []
  })
  const find = useRecordTitles(references, scope)
  return (name, key) => {
    const field = name ? definition.fields[name] : undefined
    if (!field || !name) return key ?? t('layout.none')
    if (key === null) return words.none(name) ?? t('layout.none')
    const target = targetOf(field)
    if (target !== null) {
      const row = find({ resource: target, id: key })
      const other = findDefinition(target)
      if (!row) return row === null ? t('unseen') : '…'
      return other ? recordTitle(other, row) : String(row.name ?? key)
    }
    return kindOf(field.type).choices?.(field as never)?.isClosed
      ? valueWord(definition.name, name, key)
      : key
  }
}
