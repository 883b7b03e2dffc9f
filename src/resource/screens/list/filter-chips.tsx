import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import type { Definition } from '@/resource/definition/definition.generated'
import { FilterValue } from '@/resource/screens/list/filter-value'
import { useColumnWord } from '@/resource/screens/list/use-column-word'
import type { ResourceWords } from '@/resource/words'

interface FilterChipsProps {
  definition: Definition
  words: ResourceWords
  filters: Readonly<Record<string, string>>
  onChange: (filters: Readonly<Record<string, string>>) => void
}

/** What the list is narrowed by, each taken away by one press. */
export function FilterChips({ definition, words, filters, onChange }: FilterChipsProps) {
  const { t } = useTranslation('engine')
  const word = useColumnWord(definition, words)
  const remove = (name: string) => {
    const { [name]: _gone, ...rest } = filters
    onChange(rest)
  }
  return (
    <ul className="k-chips" aria-label={t('list.activeFilters')}>
      {Object.entries(filters).map(([name, value]) => (
        <li key={name} className="k-chip">
          <span className="k-chip-field">{word(name)}</span>
          <FilterValue definition={definition} name={name} value={value} />
          <button
            type="button"
            className="k-chip-remove"
            aria-label={t('list.removeFilter', { filter: word(name) })}
            onClick={() => remove(name)}
          >
            <CloseOutlined aria-hidden="true" />
          </button>
        </li>
      ))}
      <li>
        <Button type="link" size="small" onClick={() => onChange({})}>
          {t('list.clearFilters')}
        </Button>
      </li>
    </ul>
  )
}
