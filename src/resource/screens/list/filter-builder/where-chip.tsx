import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import { useTranslation } from 'react-i18next'
import { useLanguage } from '@/i18n/use-language'
import type { Definition, Filter } from '@/resource/language/definition.generated'
import { type ResourceWords, useValueWords } from '@/resource/language/words'
import { describeWhere } from '@/resource/screens/list/filter-builder/describe'
import '@/resource/screens/list/filter-builder/where-chip.css'
import { linkedTo } from '@/resource/fields/related-field'
import { findDefinition } from '@/resource/language/registry'
import { splitIds } from '@/resource/request/filter/from-url'
import { recordTitle } from '@/resource/request/query/title'
import { useRecordTitles } from '@/resource/request/query/use-record-titles'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { conditionsOf, fromWhere } from '@/resource/screens/list/filter-builder/draft'

/** The ids that a filter names, by the resource they are of. */
function chosenIds(definition: Definition, where: Filter): Map<string, string[]> {
  const chosen = new Map<string, Set<string>>()
  for (const { field, values } of conditionsOf(fromWhere(definition, where))) {
    const target = linkedTo(definition.fields[field])
    if (!target) continue
    const ids = chosen.get(target) ?? new Set()
    for (const id of values.flatMap(splitIds)) ids.add(id)
    chosen.set(target, ids)
  }
  return new Map([...chosen].map(([target, ids]) => [target, [...ids].sort()]))
}

/** The titles of the records that a filter names; the beginning of the id of a record that cannot be seen. */
function useRecordNames(definition: Definition, where: Filter): (field: string, id: string) => string {
  const references = [...chosenIds(definition, where)].flatMap(([resource, ids]) =>
    ids.map((id) => ({ resource, id })),
  )
  const find = useRecordTitles(references, useResourceScope())
  return (field, id) => {
    const target = linkedTo(definition.fields[field])
    const row = target ? find({ resource: target, id }) : null
    const found = target ? findDefinition(target) : null
    return row && found ? recordTitle(found, row) : id.slice(0, 8)
  }
}

/** The advanced filter in words. */
export function useWhereText(definition: Definition, words: ResourceWords, where: Filter): string {
  const { t } = useTranslation('filters')
  const { t: engine } = useTranslation('engine')
  const language = useLanguage()
  const value = useValueWords()
  const record = useRecordNames(definition, where)
  return describeWhere(definition, where, {
    t,
    language,
    yes: engine('yes'),
    no: engine('no'),
    field: words.field,
    value: (field, each) => value(definition.name, field, each),
    record,
  })
}

interface WhereChipProps {
  definition: Definition
  words: ResourceWords
  where: Filter
  onOpen: () => void
  onRemove: () => void
}

/** The advanced filter in words; pressed, it opens to be changed. */
export function WhereChip({ definition, words, where, onOpen, onRemove }: WhereChipProps) {
  const { t } = useTranslation('filters')
  const text = useWhereText(definition, words, where)
  return (
    <li className="k-chip">
      <button
        type="button"
        className="k-where-chip"
        title={text}
        aria-label={t('chip', { text })}
        aria-haspopup="dialog"
        onClick={onOpen}
      >
        {text}
      </button>
      <button type="button" className="k-chip-remove" aria-label={t('remove')} onClick={onRemove}>
        <CloseOutlined aria-hidden="true" />
      </button>
    </li>
  )
}
