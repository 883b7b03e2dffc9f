import DownloadOutlined from '@ant-design/icons/es/icons/DownloadOutlined'
import { Button } from 'antd'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { kindOf } from '@/resource/fields/kinds'
import type { Definition, Figure } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import type { ResourceScope } from '@/resource/request/query/use-scope'
import { useReferenceRecords } from '@/resource/screens/list/layouts/board-columns'
import {
  isCount,
  isPeriodic,
  type KeyWord,
  type Point,
  periodWord,
  type TableAnswer,
  type TablePlace,
} from '@/resource/screens/list/layouts/figures'
import { useFigureUnit } from '@/resource/screens/list/layouts/use-figure-unit'
import type { FigureSheet } from '@/resource/tools/export/export-figures'

interface FigureTableProps {
  definition: Definition
  figure: Figure
  name: string
  answer: TableAnswer
  scope: ResourceScope
  linkTo: (place: TablePlace) => string
  wordOf: KeyWord
  show: (value: number | null) => ReactNode
  /** The tables of the dashboard by name, for the file of all its figures. */
  sheets: RefObject<Map<string, () => FigureSheet>>
}

/** The columns in the order of their field: of its choices, or of the records that it points at. */
function inFieldOrder(columns: readonly Point[], order: readonly string[]): readonly Point[] {
  if (order.length === 0) return columns
  const placeOf = ({ key }: Point) => {
    const place = key === null ? -1 : order.indexOf(key)
    return place === -1 ? order.length : place
  }
  return columns.toSorted((a, b) => placeOf(a) - placeOf(b))
}

/** A figure by two fields: rows, columns, and the figures of each of them and of all. */
export function FigureTable(props: FigureTableProps) {
  const { definition, figure, name, answer, scope, linkTo, wordOf, show, sheets } = props
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const words = useWords(definition)
  const { by = '', across = '' } = figure
  const field = definition.fields[across]
  const { records } = useReferenceRecords(field?.type === 'relation' ? field : undefined, [], scope)
  const hasPeriods = isPeriodic(definition, figure)
  const box = useRef<HTMLElement>(null)
  const names = answer.rows.map(({ key }) => wordOf(by, key)).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names arrive later, and make the table wider
  useEffect(() => {
    // On a narrow screen the newest periods and the total are in view first.
    if (hasPeriods && box.current) box.current.scrollLeft = box.current.scrollWidth
  }, [hasPeriods, names])
  const choices = field && kindOf(field.type).choices?.(field as never)?.known
  const columns = inFieldOrder(answer.columns, choices ?? records?.map(({ id }) => String(id)) ?? [])
  const periods = hasPeriods ? { periods: columns.map(({ key }) => key ?? '') } : {}
  const cells = new Map(answer.cells.map(([row, column, value]) => [JSON.stringify([row, column]), value]))
  const columnWord = (key: string | null) =>
    hasPeriods && key !== null ? periodWord(key, figure.every, language) : wordOf(across, key)
  const { unit, inUnit } = useFigureUnit(definition)(figure)
  const sheet = (): FigureSheet => ({
    name,
    titles: [
      unit ? `${words.field(by)} (${unit})` : words.field(by),
      ...columns.map(({ key }) => columnWord(key)),
      t('layout.total'),
    ],
    lines: [
      ...answer.rows.map(({ key, value }) => ({
        label: wordOf(by, key),
        values: [...columns.map((column) => cells.get(JSON.stringify([key, column.key])) ?? null), value].map(
          inUnit,
        ),
      })),
      { label: t('layout.total'), values: [...columns.map(({ value }) => value), answer.value].map(inUnit) },
    ],
  })
  // The file of the whole dashboard has the table as it is here.
  useEffect(() => {
    sheets.current.set(name, sheet)
    return () => {
      sheets.current.delete(name)
    }
  })
  const save = async () => {
    const { exportTable } = await import('@/resource/tools/export/export-figures')
    await exportTable(sheet(), language)
  }
  if (answer.rows.length === 0) return <p className="k-board-note">{t('layout.emptyColumn')}</p>
  const cell = (value: number | null | undefined, place: TablePlace) =>
    value === null || value === undefined || (isCount(figure) && value === 0) ? (
      <span className="k-figure-empty">–</span>
    ) : (
      <Link to={linkTo({ ...periods, ...place })}>{show(value)}</Link>
    )
  return (
    <>
      <Button
        type="text"
        size="small"
        className="k-figure-save"
        icon={<DownloadOutlined aria-hidden="true" />}
        aria-label={t('layout.saveTable', { figure: name })}
        title={t('layout.saveTable', { figure: name })}
        onClick={() => void save()}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by the arrow keys */}
      <section ref={box} className="k-figure-scroll" aria-label={name} tabIndex={0}>
        <table className="k-figure-table">
          <thead>
            <tr>
              <th scope="col">{words.field(by)}</th>
              {columns.map(({ key }) => (
                <th key={key ?? ''} scope="col">
                  {columnWord(key)}
                </th>
              ))}
              <th scope="col">{t('layout.total')}</th>
            </tr>
          </thead>
          <tbody>
            {answer.rows.map(({ key: row, value }) => (
              <tr key={row ?? ''}>
                <th scope="row">{wordOf(by, row)}</th>
                {columns.map(({ key: column }) => (
                  <td key={column ?? ''}>
                    {cell(cells.get(JSON.stringify([row, column])), { row, column })}
                  </td>
                ))}
                <td>{cell(value, { row })}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">{t('layout.total')}</th>
              {columns.map(({ key: column, value }) => (
                <td key={column ?? ''}>{cell(value, { column })}</td>
              ))}
              <td>{cell(answer.value, {})}</td>
            </tr>
          </tfoot>
        </table>
      </section>
      {answer.of > answer.rows.length ? (
        <p className="k-figure-note">
          {t('layout.rowsShown', {
            count: answer.rows.length,
            of: formatNumber(answer.of, language),
          })}
        </p>
      ) : null}
    </>
  )
}
