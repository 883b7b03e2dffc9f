import SearchOutlined from '@ant-design/icons/es/icons/SearchOutlined'
import { KBarSearch, useKBar } from '@refinedev/kbar'
import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCan } from '@/access/use-can'
import { isUsable } from '@/app/navigation'
import { holdsWords, type MatchedGroup, matchCommands, searchWords, toCommand } from '@/app/palette/commands'
import { type OptionGroup, PaletteList } from '@/app/palette/palette-list'
import { type FoundRecords, useFoundRecords, useReasons } from '@/app/palette/use-found-records'
import { consolePages } from '@/app/registry'
import { MenuIcon } from '@/app/shell/menu-icon'
import { showPath } from '@/resource/language/naming'
import { useResourceLabels } from '@/resource/language/words'
import { useErrorText } from '@/resource/use-error-text'
import { useDebounced } from '@/ui/use-debounced'
import '@/app/palette/palette.css'

/** Long enough not to query for every letter, short enough to feel immediate. */
const PAUSE_MS = 180
const PAGE = 8

interface PaletteDialogProps {
  /** Runs the chosen command after the palette has closed. */
  onChoose: (run: () => void) => void
  /** Returns the text typed before the input had the focus. */
  takeTyped: () => string
}

export function PaletteDialog({ onChoose, takeTyped }: PaletteDialogProps) {
  const { t } = useTranslation('palette')
  const errorText = useErrorText()
  const { query, search, activeIndex, actions } = useKBar((state) => ({
    search: state.searchQuery,
    activeIndex: state.activeIndex,
    actions: state.actions,
  }))
  const latest = useRef(takeTyped)
  // The library's input keeps its own value: it is told as if the text were typed now.
  useEffect(() => {
    const text = latest.current()
    const input = query.getInput()
    if (!text || !input) return
    input.setRangeText(text, 0, 0, 'end')
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }, [query])
  const asked = useDebounced(search, PAUSE_MS)
  const records = useRecordGroups(asked)
  const commands = useMemo(() => Object.values(actions).map(toCommand), [actions])
  const isWaiting = records.isSearching || asked !== search
  const matching = matchCommands(commands, search)
  const optionGroups = (matched: readonly MatchedGroup[], suffix = ''): OptionGroup[] =>
    matched.map(({ group, commands: options }) => ({
      key: `${group}${suffix}`,
      label: t(`groups.${group}`),
      options,
    }))
  const groups: OptionGroup[] = [
    ...optionGroups(matching.byName),
    // Records load later: they are below the commands, so that they move nothing.
    ...records.byName,
    ...(isWaiting ? [] : optionGroups(matching.byDetail, ':detail')),
    ...records.byDetail,
  ]
  const options = groups.flatMap((group) => group.options)
  const last = options.length - 1

  // A group that comes or goes above the selected option moves it: the selection follows the option, not its place.
  const selected = useRef<string | null>(null)
  const select = (index: number) => {
    selected.current = options[index]?.key ?? null
    query.setActiveIndex(index)
  }
  const moved = options.findIndex(({ key }) => key === selected.current)
  useLayoutEffect(() => {
    if (moved >= 0 && moved !== activeIndex) query.setActiveIndex(moved)
  }, [query, moved, activeIndex])
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words, other options: the first is the one
  useEffect(() => {
    selected.current = null
    query.setActiveIndex(0)
  }, [query, search])
  useEffect(() => {
    if (activeIndex > Math.max(last, 0)) query.setActiveIndex(Math.max(last, 0))
  }, [query, activeIndex, last])

  const choose = (option: { run: () => void } | undefined) => {
    if (!option) return
    onChoose(option.run)
    query.toggle()
  }
  const move = (by: number) => select(Math.min(Math.max(activeIndex + by, 0), Math.max(last, 0)))
  const isCommand = (index: number) => index < matching.byName.flatMap((group) => group.commands).length
  // Enter may come before the latest letters have updated the list: the current text counts, not the shown
  // list.
  const enter = (typed: string) => {
    if (typed !== search) choose(matchCommands(commands, typed).byName[0]?.commands[0])
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
      // Focus stays in the input: nothing else here takes it, and it does not leave to the page below.
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
          onActivate={select}
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

function useRecordGroups(text: string) {
  const navigate = useNavigate()
  const label = useResourceLabels()
  const can = useCan()
  const order = consolePages().map(({ name }) => name)
  const { found, error, isSearching } = useFoundRecords(text, ({ name }) =>
    consolePages().some((page) => page.name === name && (page.path === null || isUsable(page, can))),
  )
  const words = searchWords(text)
  const afterDevices = ({ definition }: FoundRecords) => (definition.name === 'devices' ? 0 : 1)
  const sorted = found.toSorted(
    (a, b) =>
      afterDevices(a) - afterDevices(b) ||
      order.indexOf(a.definition.name) - order.indexOf(b.definition.name),
  )
  const reasonOf = useReasons(
    text,
    found.map(({ definition, records }) => ({
      definition,
      records: records.filter(({ title }) => !holdsWords(title, words)),
    })),
  )
  /** Records whose title contains the words, or that match in another field. */
  const groupsOf = (isByName: boolean): OptionGroup[] =>
    sorted.flatMap(({ definition, records }) => {
      const own = records.filter(({ title }) => holdsWords(title, words) === isByName)
      if (own.length === 0) return []
      return {
        key: isByName ? definition.name : `${definition.name}:detail`,
        label: label(definition.name).many,
        options: own.map(({ id, title }) => ({
          key: `${definition.name}:${id}`,
          label: title,
          note: isByName ? undefined : reasonOf(definition, id),
          icon: <MenuIcon name={definition.icon} />,
          run: () => void navigate(showPath(definition, id)),
        })),
      }
    })
  return { byName: groupsOf(true), byDetail: groupsOf(false), error, isSearching }
}
