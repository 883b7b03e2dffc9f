import { Alert, Select } from 'antd'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import {
  cellText,
  ENCODINGS,
  type FileTable,
  type ReadOptions,
  SEPARATORS,
} from '@/resource/tools/import/file-table'

const PREVIEWED = 4
const SEPARATOR_WORDS = { ';': 'semicolon', ',': 'comma', '\t': 'tab', '|': 'pipe' } as const

interface ReadSettingsProps {
  table: FileTable
  /** The table is of an earlier reading: the present one failed. */
  isOld: boolean
  onChange: (options: ReadOptions) => void
}

/** How the file is read, with its first rows as they are read that way. */
export function ReadSettings({ table, isOld, onChange }: ReadSettingsProps) {
  const { t } = useTranslation('import')
  const id = useId()
  const language = useLanguage()
  const { text, book, parts, formulas } = table
  const figures = (value: number) => formatNumber(value, language)
  return (
    <>
      {text ? (
        <div className="k-import-choices">
          <label htmlFor={`${id}-encoding`}>{t('encoding')}</label>
          <Select
            id={`${id}-encoding`}
            value={text.encoding}
            options={ENCODINGS.map((value) => ({ value, label: t(`encodings.${value}`) }))}
            onChange={(encoding) => onChange({ encoding })}
          />
          <label htmlFor={`${id}-separator`}>{t('separator')}</label>
          <Select
            id={`${id}-separator`}
            value={text.separator}
            options={SEPARATORS.map((value) => ({
              value,
              label: t(`separators.${SEPARATOR_WORDS[value]}`),
            }))}
            onChange={(separator) => onChange({ separator })}
          />
        </div>
      ) : null}
      {book && book.sheets.length > 1 ? (
        <div className="k-import-choices">
          <label htmlFor={`${id}-sheet`}>{t('sheet')}</label>
          <Select
            id={`${id}-sheet`}
            value={book.sheet}
            options={book.sheets.map((value) => ({ value, label: value }))}
            onChange={(sheet) => onChange({ sheet })}
          />
        </div>
      ) : null}
      {parts ? (
        <div className="k-import-choices">
          <label htmlFor={`${id}-part`}>{t('parts.label')}</label>
          <Select
            id={`${id}-part`}
            value={parts.number}
            options={parts.lines.map(([first, last], index) => ({
              value: index + 1,
              label: t('parts.option', {
                part: figures(index + 1),
                parts: figures(parts.lines.length),
                first: figures(first),
                last: figures(last),
              }),
            }))}
            onChange={(part) => onChange({ part })}
          />
        </div>
      ) : null}
      {formulas.count > 0 ? (
        <Alert
          type="warning"
          showIcon
          title={t('formulas', {
            count: formulas.count,
            places:
              formulas.count > formulas.places.length
                ? t('andMore', { places: formulas.places.join(', ') })
                : formulas.places.join(', '),
          })}
        />
      ) : null}
      {table.rows.length === 0 ? <Alert type="warning" showIcon title={t('emptySheet')} /> : null}
      {isOld || table.rows.length === 0 ? null : <Preview table={table} />}
    </>
  )
}

function Preview({ table }: { table: FileTable }) {
  const { t } = useTranslation('import')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
    <section className="k-import-scroll" aria-label={t('preview')} tabIndex={0}>
      <table>
        <caption>{t('preview')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('line')}</th>
            {table.titles.map((title, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one title.
              <th key={index} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(0, PREVIEWED).map(({ line, cells }) => (
            <tr key={line}>
              <th scope="row">{line}</th>
              {table.titles.map((_title, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above.
                <td key={index}>{cellText(cells[index] ?? null)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
