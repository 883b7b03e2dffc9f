import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { CheckError, DeniedError, DuplicateError, LinkError, OverlapError, SessionError } from '@/data/errors'
import { formatNumber } from '@/i18n/format'
import { useLanguage } from '@/i18n/use-language'
import type { Definition } from '@/resource/definition/definition.generated'
import { type ResourceWords, useResourceLabels } from '@/resource/definition/words'
import type { CellValue } from '@/resource/fields/file-values'
import { targetOf } from '@/resource/fields/related-field'
import { useProblemText } from '@/resource/form/use-problem-text'
import { useRefusalText } from '@/resource/form/use-refusal-text'
import type { Mistake } from '@/resource/import/check-rows'
import { useSaveList } from '@/resource/import/save-lists'
import { useErrorText } from '@/resource/use-error-text'

const MAX_VALUES = 20

/** A mistake in words: what is wrong, and what to do about it. */
function useMistakeText(definition: Definition, words: ResourceWords): (mistake: Mistake) => string {
  const { t } = useTranslation('import')
  const problemText = useProblemText(definition, words)
  const errorText = useErrorText()
  const refusalText = useRefusalText(definition, words)
  const labels = useResourceLabels()
  return ({ field: name, problem, failure }) => {
    const field = name === null ? undefined : definition.fields[name]
    if (failure) {
      if (failure instanceof CheckError || failure instanceof OverlapError)
        return refusalText(failure, name ?? undefined)
      if (failure instanceof DuplicateError)
        return (name === null ? undefined : words.message(name)) ?? t('mistake.duplicate')
      if (failure instanceof DeniedError) return t('mistake.denied')
      // A rule of the table's own may say it better than its class.
      const isKnown = [LinkError, SessionError].some((known) => failure instanceof known)
      return isKnown ? errorText(failure) : failure.message || errorText(failure)
    }
    switch (problem.key) {
      case 'choice': {
        const values = field?.type === 'enum' ? Object.keys(field.values) : []
        if (values.length === 0 || values.length > MAX_VALUES) return problemText(problem, name ?? '')
        return t('mistake.choice', {
          values: values.map((value) => words.value(name ?? '', value)).join(', '),
        })
      }
      case 'duplicate_key_in_file':
        return problem.values?.other === undefined
          ? t('mistake.duplicate_key')
          : t('mistake.duplicate_key_in_file', { other: problem.values.other })
      case 'lookup_missing':
      case 'lookup_ambiguous':
        return t(`mistake.${problem.key}`, { name: labels(targetOf(field) ?? '').one })
      case 'boolean':
      case 'ambiguous_key':
      case 'unknown_key':
      case 'key_exists':
      case 'empty_key':
      case 'bad_value':
        return t(`mistake.${problem.key}`)
      default:
        return problemText(problem, name ?? '')
    }
  }
}

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
