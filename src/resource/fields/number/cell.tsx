import { useTranslation } from 'react-i18next'
import { formatExitCode, formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { Blank } from '@/resource/fields/blank'
import { isColored } from '@/resource/fields/is-colored'
import type { CellProps } from '@/resource/fields/kind'
import { StatusTag } from '@/ui/status-tag'

export function Cell({ value, field, resource, row }: CellProps<'number'>) {
  const language = useLanguage()
  if (value === null || value === undefined || value === '') return <Blank />
  if (field.over && Number(value) < 0 && isColored(field, resource, row))
    return <Over count={-Number(value)} />
  if (field.exit_code) return <span className="k-figures">{formatExitCode(Number(value))}</span>
  const text = formatNumber(Number(value), language, {
    maximumFractionDigits: field.decimals ?? 0,
    useGrouping: field.grouping !== false,
  })
  return <span className="k-figures">{field.unit ? `${text} ${field.unit}` : text}</span>
}

function Over({ count }: { count: number }) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  return (
    <StatusTag tone="error">{t('fields.over', { count: formatNumber(count, language) as never })}</StatusTag>
  )
}
