import { useEngineWords } from '@/i18n/use-language'
import { Blank } from '@/resource/fields/cell-parts'
import { toneOf } from '@/resource/fields/enum/view'
import type { CellProps } from '@/resource/fields/kind-interface'
import { RowIcon } from '@/ui/row-icon'
import { StatusTag } from '@/ui/status-tag'

export function Cell({ value, field }: CellProps<'boolean'>) {
  const t = useEngineWords()
  if (typeof value !== 'boolean') return <Blank />
  const words = value ? t('yes') : t('no')
  const color = value ? field.yes : field.no
  if (color && color !== 'default') return <StatusTag tone={toneOf(color)}>{words}</StatusTag>
  return (
    <span className={value ? 'k-yes' : 'k-no'}>
      <RowIcon shape={value ? 'check' : 'minus'} /> {words}
    </span>
  )
}
