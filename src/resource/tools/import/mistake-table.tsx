import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { CellValue } from '@/resource/fields/file-values'
import type { Definition } from '@/resource/language/definition.generated'
import type { ResourceWords } from '@/resource/language/words'
import type { Mistake } from '@/resource/tools/import/check-rows'
import { useSaveList } from '@/resource/tools/import/save-lists'
import { useMistakeText } from '@/resource/tools/import/use-mistake-text'

const SHOWN = 200

interface MistakeTableProps {
  definition: Definition
  words: ResourceWords
  mistakes: readonly Mistake[]
  /** The database stopped looking. */
  hasMore: boolean
}

const text = (value: string): CellValue => (value === '' ? null : { kind: 'text', text: value })

/** Lists mistakes line by line, and offers them as a file to work through. */
export function MistakeTable({ definition, words, mistakes, hasMore }: MistakeTableProps) {
  const { t } = useTranslation('import')
  const language = useLanguage()
  const mistakeText = useMistakeText(definition, words)
  const saveList = useSaveList()
  const titles = [t('line'), t('columns.field'), t('check.value'), t('check.what')]
  const fieldOf = ({ field }: Mistake) => (field === null ? '' : words.field(field))
  const handleDownload = () =>
    saveList({
      name: t('mistakesFile', { name: words.many }),
      titles,
      rows: mistakes.map((mistake) => [
        { kind: 'number', number: mistake.line },
        text(fieldOf(mistake)),
        text(mistake.text),
        text(mistakeText(mistake)),
      ]),
      format: 'csv',
      language,
    })
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <section className="k-import-scroll k-import-mistakes" aria-label={t('check.table')} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {titles.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {mistakes.slice(0, SHOWN).map((mistake, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line may have the same mistake twice; the list is fixed.
              <tr key={index}>
                <th scope="row">{mistake.line}</th>
                <td>{fieldOf(mistake)}</td>
                <td className="k-import-value">{mistake.text}</td>
                <td>{mistakeText(mistake)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {mistakes.length > SHOWN ? (
        <p className="k-soft">{t('check.shown', { rows: formatNumber(SHOWN, language) })}</p>
      ) : null}
      {hasMore ? <p className="k-soft">{t('check.more')}</p> : null}
      <p>
        <Button onClick={handleDownload}>{t('check.download')}</Button>
      </p>
    </>
  )
}
