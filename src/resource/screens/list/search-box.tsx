import SearchOutlined from '@ant-design/icons/es/icons/SearchOutlined'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'

/** Long enough not to ask for every letter, short enough to feel immediate. */
const PAUSE_MS = 250

interface SearchBoxProps {
  name: string
  value: string
  onSearch: (text: string) => void
}

export function SearchBox({ name, value, onSearch }: SearchBoxProps) {
  const { t } = useTranslation('engine')
  const [text, setText] = useState(value)
  const sent = useRef(value)
  const timer = useRef<number | undefined>(undefined)

  // Back and forward change the URL under the box; what is being typed is ahead of it and stays.
  useEffect(() => {
    if (value === sent.current) return
    sent.current = value
    setText(value)
  }, [value])
  useEffect(() => () => window.clearTimeout(timer.current), [])
  // What else was changed while the search waited is kept: it is written by the list as it then stands.
  const latest = useRef(onSearch)
  useEffect(() => {
    latest.current = onSearch
  })

  const send = (next: string) => {
    window.clearTimeout(timer.current)
    if (next === sent.current) return
    sent.current = next
    latest.current(next)
  }
  const handleChange = (next: string) => {
    setText(next)
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(() => send(next.trim()), next === '' ? 0 : PAUSE_MS)
  }
  return (
    // A plain input: the library's brings text areas, counters and one-time codes along into the first list.
    <span className="k-search">
      <SearchOutlined aria-hidden="true" />
      <input
        type="search"
        placeholder={t('list.search')}
        aria-label={t('list.searchIn', { name })}
        value={text}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => handleChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') send(text.trim())
        }}
      />
    </span>
  )
}
