import { Suspense, useCallback, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fold } from '@/i18n/fold'
import type { BoxMenu, BoxMenuItem, MenuSource } from '@/resource/screens/comments/comment-slots'
import type { MenuStart } from '@/resource/screens/comments/mention-text'
import { useDebounced } from '@/ui/use-debounced'

const MAX_ITEMS = 8

interface OpenMenu {
  items: readonly BoxMenuItem[] | null
  at: number
  setAt: (at: number) => void
  /** Mounted while the menu is open: they tell the entries. */
  sources: readonly MenuSource[]
  tell: (source: string, items: readonly BoxMenuItem[]) => void
  menu: BoxMenu | null
}

const NO_SOURCES: readonly MenuSource[] = []

/** The entries of the menu that the caret asks for; null while they are read. */
export function useBoxMenu(start: MenuStart | null, menus: readonly BoxMenu[]): OpenMenu {
  const [found, setFound] = useState<{ words: string; items: readonly BoxMenuItem[] } | null>(null)
  const [told, setTold] = useState<ReadonlyMap<string, readonly BoxMenuItem[]>>(new Map())
  const [at, setAt] = useState(0)
  const trigger = start?.trigger ?? null
  const words = useDebounced(start?.words ?? '', 150)
  const menu = menus.find((each) => each.trigger === trigger) ?? null
  const sources = menu?.trigger === '/' ? menu.sources : NO_SOURCES
  useEffect(() => {
    const people = menus.find((each) => each.trigger === trigger)
    let isCurrent = true
    setAt(0)
    if (people?.trigger !== '@') return setFound(null)
    people.find(words).then(
      (items) => isCurrent && setFound({ words, items }),
      () => isCurrent && setFound({ words, items: [] }),
    )
    return () => {
      isCurrent = false
    }
  }, [trigger, words, menus])
  // Not when it opens: a source that is loaded already tells its entries before this runs.
  useEffect(() => {
    if (trigger === null) setTold(new Map())
  }, [trigger])
  const tell = useCallback((source: string, items: readonly BoxMenuItem[]) => {
    setTold((before) => new Map(before).set(source, items))
  }, [])
  // An answer to fewer letters holds entries that no longer fit; a quick Enter must not take one of these.
  const items = useMemo(() => {
    const typed = start?.words ?? ''
    if (sources.length > 0) {
      const all = sources.flatMap(({ key }) => told.get(key) ?? [])
      return all.length === 0 && told.size < sources.length ? null : all.slice(0, MAX_ITEMS)
    }
    if (!found || found.words === typed) return found?.items ?? null
    const fitting = found.items.filter(({ label }) => fold(label).includes(fold(typed)))
    return fitting.length > 0 ? fitting : null
  }, [found, told, sources, start?.words])
  return { items, at: Math.min(at, Math.max(0, (items?.length ?? 1) - 1)), setAt, sources, tell, menu }
}

interface BoxMenuListProps extends OpenMenu {
  id: string
  label: string
  words: string
  onPick: (item: BoxMenuItem) => void
}

/** The open menu. The focus stays in the box, which names the marked entry. */
export function BoxMenuList(props: BoxMenuListProps) {
  const { id, label, words, items, at, setAt, sources, tell, menu, onPick } = props
  const { t } = useTranslation('comments')
  return (
    <div className="k-box-menu">
      {menu?.trigger === '/'
        ? sources.map(({ key, Source }) => (
            <Suspense key={key} fallback={null}>
              <ToldSource {...{ Source, source: key, tell, words, record: menu.record, kind: menu.kind }} />
            </Suspense>
          ))
        : null}
      {items === null ? (
        <p className="k-soft">{t('menu.loading')}</p>
      ) : items.length === 0 ? (
        <p className="k-soft">{t('menu.none')}</p>
      ) : (
        <div role="listbox" id={id} aria-label={label}>
          {items.map((item, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the box handles the keys, which has the focus
            <div
              key={item.key}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onMouseEnter={() => setAt(index)}
              // Before the click, the box would lose the focus and close the menu.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onPick(item)}
            >
              <span>{item.label}</span>
              {item.hint ? <span className="k-soft">{item.hint}</span> : null}
            </div>
          ))}
        </div>
      )}
    </div>
  )
}

interface ToldSourceProps extends Pick<MenuSource, 'Source'> {
  source: string
  tell: OpenMenu['tell']
  words: string
  record: Extract<BoxMenu, { trigger: '/' }>['record']
  kind: string
}

function ToldSource({ Source, source, tell, words, record, kind }: ToldSourceProps) {
  const handleItems = useCallback((items: readonly BoxMenuItem[]) => tell(source, items), [tell, source])
  return <Source record={record} kind={kind} words={words} onItems={handleItems} />
}
