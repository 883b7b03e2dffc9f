import SearchOutlined from '@ant-design/icons/es/icons/SearchOutlined'
import { KBarSearch, useKBar } from 'kbar'
import { type KeyboardEvent, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { redirectFor } from '@/app/guards'
import { matchCommands } from '@/app/palette/commands'
import { type OptionGroup, PaletteList } from '@/app/palette/palette-list'
import { useCommands } from '@/app/palette/use-commands'
import { addedIcon } from '@/app/shell/entry-icons'
import { listPath, showPath } from '@/resource/definition/naming'
import { useFoundRecords } from '@/resource/queries/use-found-records'
import { useErrorText } from '@/resource/use-error-text'
import { useResourceLabels } from '@/resource/words'
import type { Role } from '@/session/types'
import { useDebounced } from '@/ui/use-debounced'
import '@/app/palette/palette.css'

/** Long enough not to ask for every letter, short enough to feel immediate. */
const PAUSE_MS = 180
const PAGE = 8

interface PaletteDialogProps {
  role: Role
  onShowKeys: () => void
  /** Runs what was chosen once the palette is gone. */
  onChoose: (run: () => void) => void
}

export function PaletteDialog({ role, onShowKeys, onChoose }: PaletteDialogProps) {
  const { t } = useTranslation('palette')
  const errorText = useErrorText()
  const { query, search, activeIndex } = useKBar((state) => ({
    search: state.searchQuery,
    activeIndex: state.activeIndex,
  }))
  const asked = useDebounced(search, PAUSE_MS)
  const records = useRecordGroups(asked, role)
  const commands = useCommands(role, onShowKeys)
  const matching = matchCommands(commands, search)
  const groups: OptionGroup[] = [
    ...matching.map(({ group, commands: options }) => ({
      key: group,
      label: t(`groups.${group}`),
      options,
    })),
    // Last, and so below what stands already: they come while somebody reads, and move nothing.
    ...records.groups,
  ]
  const options = groups.flatMap((group) => group.options)
  const last = options.length - 1
  const isWaiting = records.isSearching || asked !== search

  // biome-ignore lint/correctness/useExhaustiveDependencies: other words, other options: the first is the one
  useEffect(() => query.setActiveIndex(0), [query, search])
  useEffect(() => {
    if (activeIndex > Math.max(last, 0)) query.setActiveIndex(Math.max(last, 0))
  }, [query, activeIndex, last])

  const choose = (option: { run: () => void } | undefined) => {
    if (!option) return
    onChoose(option.run)
    query.toggle()
  }
  const move = (by: number) =>
    query.setActiveIndex(Math.min(Math.max(activeIndex + by, 0), Math.max(last, 0)))
  const isCommand = (index: number) => index < matching.flatMap((group) => group.commands).length
  // Enter may come before the letters typed last have reached the list, or before the records that they find:
  // what they say counts, not what it shows.
  const enter = (typed: string) => {
    if (typed !== search) choose(matchCommands(commands, typed)[0]?.commands[0])
    else if (!isWaiting || isCommand(activeIndex)) choose(options[activeIndex])
  }
  const handleKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    const typed = event.currentTarget.value
    const keys: Record<string, () => void> = {
      ArrowDown: () => move(activeIndex === last ? -last : 1),
      ArrowUp: () => move(activeIndex === 0 ? last : -1),
      PageDown: () => move(PAGE),
      PageUp: () => move(-PAGE),
      Enter: () => enter(typed),
      // Nothing else in here takes the focus; it does not leave for the page below either.
      Tab: () => undefined,
    }
    const act = keys[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }
  return (
    <div
      className="k-palette-back"
      role="presentation"
      onPointerDown={(event) => {
        if (event.target === event.currentTarget) query.toggle()
      }}
    >
      <div className="k-palette" role="dialog" aria-modal="true" aria-label={t('title')}>
        <div className="k-palette-search">
          <SearchOutlined aria-hidden="true" />
          <KBarSearch
            aria-label={t('title')}
            aria-autocomplete="list"
            defaultPlaceholder={t('placeholder')}
            maxLength={200}
            onKeyDown={handleKey}
          />
        </div>
        {records.error ? <p className="k-palette-error">{errorText(records.error)}</p> : null}
        <PaletteList
          label={t('results')}
          groups={groups}
          activeIndex={activeIndex}
          empty={isWaiting ? t('searching') : t('none', { text: search.trim() })}
          onActivate={query.setActiveIndex}
          onChoose={(index) => choose(options[index])}
        />
        <p className="k-palette-foot">{t('hint')}</p>
        <p className="k-visually-hidden" role="status">
          {isWaiting ? t('searching') : t('count', { count: options.length })}
        </p>
      </div>
    </div>
  )
}

function useRecordGroups(text: string, role: Role) {
  const navigate = useNavigate()
  const label = useResourceLabels()
  const { found, error, isSearching } = useFoundRecords(
    text,
    (definition) => redirectFor(role, listPath(definition)) === null,
  )
  const groups = found.map(
    ({ definition, records }): OptionGroup => ({
      key: definition.name,
      label: label(definition.name).many,
      options: records.map(({ id, title }) => ({
        key: `${definition.name}:${id}`,
        label: title,
        icon: addedIcon(definition.icon),
        run: () => void navigate(showPath(definition, id)),
      })),
    }),
  )
  return { groups, error, isSearching }
}
