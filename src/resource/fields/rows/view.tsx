import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import { Blank } from '@/resource/fields/cell-parts'
import { FieldCell } from '@/resource/fields/cells'
import type { CellProps } from '@/resource/fields/kind-interface'
import { kindOf } from '@/resource/fields/kinds'
import { useFieldWord } from '@/resource/language/words'

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** A record shows the inner table; a list only has room for how many rows it has. */
export function Cell({ value, field, name, resource, dense }: CellProps<'rows'>) {
  const { t } = useTranslation('engine')
  const language = useLanguage()
  const word = useFieldWord(resource)
  const rows = Array.isArray(value) ? value.filter(isRow) : []
  if (rows.length === 0) return dense ? <Blank /> : <span className="k-soft">{t('rows.none')}</span>
  if (dense) return <span className="k-figures">{formatNumber(rows.length, language)}</span>
  const columns = Object.entries(field.fields).filter(([column]) => field.keys?.[column] === undefined)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="k-inner-box" aria-label={word(name)} tabIndex={0}>
      <table className="k-inner">
        <caption className="k-visually-hidden">{word(name)}</caption>
        <thead>
          <tr>
            {columns.map(([column, inner]) => (
              <th key={column} scope="col" data-align={kindOf(inner.type).align}>
                {word(`${name}.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a stored array have no identity but their place
            <tr key={index}>
              {columns.map(([column, inner]) => (
                <td key={column} data-align={kindOf(inner.type).align}>
                  <FieldCell
                    value={row[column]}
                    field={inner}
                    name={`${name}.${column}`}
                    resource={resource}
                    row={row}
                    dense
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
