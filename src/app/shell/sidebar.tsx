import { Fragment, type ReactNode, useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { useCan } from '@/access/use-can'
import {
  ariaCurrent,
  groupEntries,
  homePath,
  isUsable,
  type NavigationGroup,
  navigationOf,
} from '@/app/navigation'
import { usePageWords } from '@/app/page-words'
import type { Section } from '@/app/pages'
import { type Page, useConsolePages } from '@/app/registry'
import { engineComponents } from '@/app/resource-screens'
import { MenuIcon } from '@/app/shell/menu-icon'
import { useCache } from '@/refine/use-cache'
import { readableDefinition } from '@/resource/fields/guards'
import type { Definition } from '@/resource/language/definition.generated'
import { listOf } from '@/resource/language/naming'
import { useGroupWord } from '@/resource/language/words'
import { prefetchList } from '@/resource/request/query/use-list-query'
import { useResourceScope } from '@/resource/request/query/use-scope'
import { PRODUCT_NAME } from '@/ui/brand'
import { Tip } from '@/ui/tip'

/** A pointer that crosses the menu prefetches nothing. */
const REST_MS = 50

/** Loads a list's code and first page while the pointer rests on its entry. */
export function useListPrefetch(): (page: Page) => void {
  const cache = useCache()
  const scope = useResourceScope()
  const can = useCan()
  const timer = useRef<number | undefined>(undefined)
  useEffect(() => () => window.clearTimeout(timer.current), [])

  const prefetch = (definition: Definition) => {
    const component = listOf(definition)?.component
    if (component) {
      engineComponents[component]?.().catch(() => undefined)
      return
    }
    // A failed prefetch is ignored: the page loads the data again.
    import('@/resource/screens/resource-list').catch(() => undefined)
    const mayRead = ({ object, verb }: { object: string; verb: string }) => can(object, verb).allowed
    prefetchList(cache, readableDefinition(definition, mayRead), scope, can)
  }
  return (page) => {
    window.clearTimeout(timer.current)
    const { definition } = page
    if (definition && isUsable(page, can))
      timer.current = window.setTimeout(() => prefetch(definition), REST_MS)
  }
}

interface SidebarProps {
  /** Icons alone, their words as tips. */
  isCollapsed: boolean
  onNavigate?: () => void
}

export function Sidebar({ isCollapsed, onNavigate }: SidebarProps) {
  const { t } = useTranslation('shell')
  const can = useCan()
  const { pathname } = useLocation()
  const words = usePageWords()
  const groupWord = useGroupWord()
  const prefetch = useListPrefetch()
  const pages = useConsolePages()
  const navigation = useMemo(() => navigationOf(can, pages), [can, pages])
  const inSection = (section: Section) => navigation.filter(({ root }) => root.section === section)
  const added = groupEntries(inSection('added'), ({ root }) => root.group)
  const bottom = inSection('bottom')

  const list = (entries: readonly NavigationGroup[], name?: string) => (
    <ul className="sidebar-list" aria-label={name}>
      {entries.map((entry) => (
        <li key={entry.root.name}>
          <SidebarLink
            path={entry.tabs[0].path ?? '/'}
            label={words.label(entry.tabs[0])}
            icon={<MenuIcon name={entry.tabs[0].icon} />}
            current={ariaCurrent(entry, pathname)}
            isCollapsed={isCollapsed}
            onNavigate={onNavigate}
            onAim={() => prefetch(entry.tabs[0])}
          />
        </li>
      ))}
    </ul>
  )

  return (
    <>
      <Link className="sidebar-brand" to={homePath(can) ?? '/'} onClick={onNavigate}>
        <img src="/icon.svg" alt="" width={28} height={28} />
        <span className="sidebar-label">{PRODUCT_NAME}</span>
      </Link>
      <nav className="sidebar-nav" aria-label={t('mainMenu')}>
        <div className="sidebar-main">
          {list(inSection('main'))}
          {added.length > 0 ? <hr className="sidebar-divider" /> : null}
          {added.map(({ group, members }) => (
            <Fragment key={group ?? ''}>
              {group ? <p className="sidebar-group">{groupWord(group)}</p> : null}
              {list(members, group ? groupWord(group) : undefined)}
            </Fragment>
          ))}
        </div>
        {bottom.length > 0 ? list(bottom) : null}
      </nav>
    </>
  )
}

interface SidebarLinkProps {
  path: string
  label: string
  icon: ReactNode
  current: 'page' | 'true' | undefined
  isCollapsed: boolean
  onNavigate?: (() => void) | undefined
  /** The pointer or the focus is on the entry, so it may be opened next. */
  onAim: () => void
}

function SidebarLink({ path, label, icon, current, isCollapsed, onNavigate, onAim }: SidebarLinkProps) {
  const link: ReactNode = (
    <Link
      className="sidebar-link"
      to={path}
      aria-current={current}
      onClick={onNavigate}
      onPointerEnter={onAim}
      onFocus={onAim}
    >
      <span className="sidebar-icon" aria-hidden="true">
        {icon}
      </span>
      <span className="sidebar-label">{label}</span>
    </Link>
  )
  if (!isCollapsed) return link
  return (
    <Tip title={label} placement="right">
      {link}
    </Tip>
  )
}
