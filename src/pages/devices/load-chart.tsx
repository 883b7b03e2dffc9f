import { Line } from '@ant-design/plots'
import { theme } from 'antd'
import { useMemo } from 'react'
import { formatDateTime, formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import css from './load.module.css'
import type { Dot } from './load-data'

interface LoadChartProps {
  lines: readonly { name: string; dots: readonly Dot[] }[]
  label: string
  isLong: boolean
}

/** The load in percent over time, a line a measure. */
export function LoadChart({ lines, label, isLong }: LoadChartProps) {
  const language = useLanguage()
  const { token } = theme.useToken()
  const config = useMemo(() => {
    const percent = (value: number) => formatNumber(value / 100, language, { style: 'percent' })
    const moment = new Intl.DateTimeFormat(language === 'tr' ? 'tr-TR' : 'en-GB', {
      ...(isLong ? { day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' }),
    })
    const text = { labelFill: token.colorText, labelOpacity: 1, labelFontSize: 12 }
    return {
      data: lines.flatMap(({ name, dots }) =>
        dots.map(({ at, value }) => ({ at: new Date(at * 1000), value, name })),
      ),
      xField: 'at',
      yField: 'value',
      colorField: 'name',
      scale: {
        y: { domain: [0, 100], nice: false },
        color: { range: [token.colorPrimary, token.colorSuccess, token.colorWarning] },
      },
      axis: {
        x: { ...text, labelFormatter: (at: Date) => moment.format(at), labelAutoRotate: false, tick: false },
        y: { ...text, labelFormatter: percent, gridStroke: token.colorBorder, gridStrokeOpacity: 1 },
      },
      legend: { color: { itemLabelFill: token.colorText, itemLabelFillOpacity: 1, itemLabelFontSize: 13 } },
      tooltip: {
        title: ({ at }: { at: Date }) => formatDateTime(at, language),
        items: [{ channel: 'y', valueFormatter: percent }],
      },
      style: { lineWidth: 1.5 },
      animate: false as const,
    }
  }, [lines, language, token, isLong])
  return (
    <div role="img" aria-label={label} className={css.chart}>
      <Line {...config} />
    </div>
  )
}
