import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { useAccess } from '@/access/use-access'
import { ariaCurrent } from '@/app/active-entry'
import { menuFor } from '@/app/menu'
import { addedResources } from '@/app/resource-routes'
import { groupEntries } from '@/app/shell/entry-groups'
import { addedIcon, entryIcon } from '@/app/shell/entry-icons'
import { useListPrefetch } from '@/app/shell/use-list-prefetch'
import { useTitle } from '@/app/use-title'
import { findDefinition } from '@/resource/registry'
import { useGroupWord, useResourceLabels } from '@/resource/words'
import type { Role } from '@/session/types'
import { PRODUCT_NAME } from '@/ui/brand'
import { Tip } from '@/ui/tip'

interface SidebarProps {
  role: Role
  /** Icons alone, their words as tips. */
  isCollapsed: boolean
  onNavigate?: () => void
}

interface Entry {
  path: string
  label: string
  icon: ReactNode
}

export function Sidebar({ role, isCollapsed, onNavigate }: SidebarProps) {
  const { t } = useTranslation('shell')
  const { can } = useAccess()
  const title = useTitle()
  const label = useResourceLabels()
  const groupWord = useGroupWord()
  const prefetch = useListPrefetch()
  const menu = menuFor(role, can('tickets', 'list').allowed)
  const added = role === 'Standard' ? [] : addedResources().filter(({ name }) => can(name, 'list').allowed)
  const groups = groupEntries(added, (name) => findDefinition(name)?.group)
  const addedEntry = ({ name, path }: (typeof added)[number]): Entry => ({
    path,
    label: label(name).many,
    icon: addedIcon(findDefinition(name)?.icon),
  })

  const list = (entries: readonly Entry[], name?: string) => (
    <ul className="sidebar-list" aria-label={name}>
      {entries.map((entry) => (
        <li key={entry.path}>
          <SidebarLink
            entry={entry}
            isCollapsed={isCollapsed}
            onNavigate={onNavigate}
            onAim={() => prefetch(entry.path)}
          />
        </li>
      ))}
    </ul>
  )
  const named = (entries: typeof menu.main): Entry[] =>
    entries.map(({ path, label: key }) => ({ path, label: title(key), icon: entryIcon(path) }))

  return (
    <>
      <Link className="sidebar-brand" to={role === 'Standard' ? '/tickets' : '/'} onClick={onNavigate}>
        <img src="/icon.svg" alt="" width={28} height={28} />
        <span className="sidebar-label">{PRODUCT_NAME}</span>
      </Link>
      <nav className="sidebar-nav" aria-label={t('mainMenu')}>
        <div className="sidebar-main">
          {list(named(menu.main))}
          {added.length > 0 ? (
            <>
              <hr className="sidebar-divider" />
              {groups.map(({ group, members }) => (
                <Fragment key={group ?? ''}>
                  {group ? <p className="sidebar-group">{groupWord(group)}</p> : null}
                  {list(members.map(addedEntry), group && groupWord(group))}
                </Fragment>
              ))}
            </>
          ) : null}
        </div>
        {menu.bottom.length > 0 ? list(named(menu.bottom)) : null}
      </nav>
    </>
  )
}

interface SidebarLinkProps {
  entry: Entry
  isCollapsed: boolean
  onNavigate?: (() => void) | undefined
  /** The pointer or the focus is on it: it may be opened next. */
  onAim: () => void
}

function SidebarLink({ entry, isCollapsed, onNavigate, onAim }: SidebarLinkProps) {
  const { pathname } = useLocation()
  const link: ReactNode = (
    <Link
      className="sidebar-link"
      to={entry.path}
      aria-current={ariaCurrent(entry.path, pathname)}
      onClick={onNavigate}
      onPointerEnter={onAim}
      onFocus={onAim}
    >
      <span className="sidebar-icon" aria-hidden="true">
        {entry.icon}
      </span>
      <span className="sidebar-label">{entry.label}</span>
    </Link>
  )
  if (!isCollapsed) return link
  return (
    <Tip title={entry.label} placement="right">
      {link}
    </Tip>
  )
}
