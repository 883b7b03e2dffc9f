import { useTranslation } from 'react-i18next'
import { CheckError, DeniedError, DuplicateError, LinkError, OverlapError, SessionError } from '@/data/errors'
import { targetOf } from '@/resource/fields/related-field'
import type { Definition } from '@/resource/language/definition.generated'
import { type ResourceWords, useResourceLabels } from '@/resource/language/words'
import { useProblemText } from '@/resource/screens/form/use-problem-text'
import { useRefusalText } from '@/resource/screens/form/use-refusal-text'
import type { Mistake } from '@/resource/tools/import/check-rows'
import { useErrorText } from '@/resource/use-error-text'

const MAX_VALUES = 20

/** A mistake in words: what is wrong, and what to do about it. */
export function useMistakeText(definition: Definition, words: ResourceWords): (mistake: Mistake) => string {
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
