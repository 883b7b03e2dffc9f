import { useTranslation } from 'react-i18next'
import { useCan } from '@/access/use-can'
import type { Row } from '@/data/rows'
import type { Definition } from '@/resource/language/definition.generated'
import { useWords } from '@/resource/language/words'
import { isOffered } from '@/resource/request/filter/actions'
import type { ResourceScope } from '@/resource/request/query/use-scope'

/** Says why a record is edited no more, as its definition locks it; undefined for one that is edited. */
export function useLockText(
  definition: Definition,
  { filter }: ResourceScope,
): (record: Row) => string | undefined {
  const { t } = useTranslation('engine')
  const words = useWords(definition)
  const can = useCan()
  const { locked } = definition
  const isExempt = locked?.unless && can(locked.unless.object, locked.unless.verb).allowed
  return (record) =>
    locked && !isExempt && isOffered(definition, locked, record, filter)
      ? (words.text('locked') ?? t('form.locked'))
      : undefined
}
