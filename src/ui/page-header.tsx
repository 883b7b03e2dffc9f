import { type ReactNode, useEffect, useState } from 'react'
import { NavLink, useLocation } from 'react-router'
import { ScrollArrows, scrollToChild, useScrollEdges } from '@/ui/scroll-edges'
import '@/ui/page-header.css'

export interface PageTab {
  to: string
  label: ReactNode
}

interface PageHeaderProps {
  /** The title of the record or section; the page's own title is in the top bar. */
  title?: ReactNode
  extra?: ReactNode
  /** Neighboring pages, each with its own URL. */
  tabs?: readonly PageTab[]
  /** Names the row of tabs for those who hear it. */
  tabsLabel?: string
}

export function PageHeader({ title, extra, tabs, tabsLabel }: PageHeaderProps) {
  const [row, setRow] = useState<HTMLElement | null>(null)
  useScrollEdges(row)
  const { pathname } = useLocation()
  // The tab of the page may lie beyond the edge of a phone.
  useEffect(() => {
    const tab = [...(row?.children ?? [])].find((link) => link.getAttribute('href') === pathname)
    if (row && tab) scrollToChild(row, tab)
  }, [row, pathname])
  return (
    <>
      {tabs && tabs.length > 0 ? (
        <nav className="k-page-tabs k-more" aria-label={tabsLabel}>
          <div ref={setRow} className="k-page-tabs-row k-fading">
            {tabs.map((tab) => (
              <NavLink key={tab.to} to={tab.to} end>
                {tab.label}
              </NavLink>
            ))}
          </div>
          <ScrollArrows scroller={row} />
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
