import type { ReactNode } from 'react'
import { NavLink } from 'react-router'
import '@/ui/page-header.css'

export interface PageTab {
  to: string
  label: ReactNode
}

interface PageHeaderProps {
  /** Of the record or section; the page's own title stands in the top bar. */
  title?: ReactNode
  extra?: ReactNode
  /** Neighbouring pages, each with its own URL. */
  tabs?: readonly PageTab[]
  /** Names the row of tabs for those who hear it. */
  tabsLabel?: string
}

export function PageHeader({ title, extra, tabs, tabsLabel }: PageHeaderProps) {
  return (
    <>
      {tabs && tabs.length > 0 ? (
        <nav className="k-page-tabs" aria-label={tabsLabel}>
          {tabs.map((tab) => (
            <NavLink key={tab.to} to={tab.to} end>
              {tab.label}
            </NavLink>
          ))}
        </nav>
      ) : null}
      {title || extra ? (
        <div className="k-page-header">
          {title ? <h2 className="k-page-header-title">{title}</h2> : <span />}
          {extra ? <div className="k-page-header-extra">{extra}</div> : null}
        </div>
      ) : null}
    </>
  )
}
