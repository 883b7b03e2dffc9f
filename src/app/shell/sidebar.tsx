import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation } from 'react-router'
import { useAccess } from '@/access/use-access'
import { isActiveEntry, menuFor } from '@/app/menu'
import { addedResources } from '@/app/resource-routes'
import { entryIcon } from '@/app/shell/entry-icons'
import { useTitle } from '@/app/use-title'
import { useResourceLabels } from '@/resource/words'
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
}

export function Sidebar({ role, isCollapsed, onNavigate }: SidebarProps) {
  const { t } = useTranslation('shell')
  const { can } = useAccess()
  const title = useTitle()
  const label = useResourceLabels()
  const menu = menuFor(role, can('tickets', 'list').allowed)
  const added: readonly Entry[] =
    role === 'Standard'
      ? []
      : addedResources()
          .filter(({ name }) => can(name, 'list').allowed)
          .map(({ name, path }) => ({ path, label: label(name).many }))

  const list = (entries: readonly Entry[]) => (
    <ul className="sidebar-list">
      {entries.map((entry) => (
        <li key={entry.path}>
          <SidebarLink entry={entry} isCollapsed={isCollapsed} onNavigate={onNavigate} />
        </li>
      ))}
    </ul>
  )
  const named = (entries: typeof menu.main): Entry[] =>
    entries.map((entry) => ({ path: entry.path, label: title(entry.label) }))

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
              {list(added)}
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
}

function SidebarLink({ entry, isCollapsed, onNavigate }: SidebarLinkProps) {
  const { pathname } = useLocation()
  const link: ReactNode = (
    <Link
      className="sidebar-link"
      to={entry.path}
      aria-current={isActiveEntry(entry.path, pathname) ? 'page' : undefined}
      onClick={onNavigate}
    >
      <span className="sidebar-icon" aria-hidden="true">
        {entryIcon(entry.path)}
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
