import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import { useTranslation } from 'react-i18next'
import { useLanguage } from '@/i18n/use-language'
import type { Definition, Filter } from '@/resource/definition/definition.generated'
import { describeWhere } from '@/resource/filter-builder/describe'
import { useRecordNames } from '@/resource/filter-builder/use-record-names'
import { type ResourceWords, useValueWords } from '@/resource/words'
import '@/resource/filter-builder/where-chip.css'

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
  const { t: engine } = useTranslation('engine')
  const language = useLanguage()
  const value = useValueWords()
  const record = useRecordNames(definition, where)
  const text = describeWhere(definition, where, {
    t,
    language,
    yes: engine('yes'),
    no: engine('no'),
    field: words.field,
    value: (field, each) => value(definition.name, field, each),
    record,
  })
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
