import SearchOutlined from '@ant-design/icons/es/icons/SearchOutlined'
import { useTranslation } from 'react-i18next'
import { useTyped } from '@/ui/use-typed'
import '@/ui/search-box.css'

/** Long enough not to query for every letter, short enough to feel immediate. */
const PAUSE_MS = 250

interface SearchBoxProps {
  name: string
  value: string
  onSearch: (text: string) => void
}

export function SearchBox({ name, value, onSearch }: SearchBoxProps) {
  const { t } = useTranslation('engine')
  const { typed, type, send } = useTyped(value, PAUSE_MS, onSearch)
  return (
    // A plain input: the library's brings text areas, counters and one-time codes along into the first list.
    <span className="k-search">
      <SearchOutlined aria-hidden="true" />
      <input
        type="search"
        placeholder={t('list.search')}
        aria-label={t('list.searchIn', { name })}
        value={typed}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => type(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') send()
        }}
      />
    </span>
  )
}
