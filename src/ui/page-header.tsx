import { type ReactNode, useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { ScrollArrows, scrollToChild, useScrollEdges } from '@/ui/scroll-edges'
import '@/ui/page-header.css'

export interface PageTab {
  to: string
  label: ReactNode
  /** Whether the page is this tab's, or below it. */
  isCurrent: boolean
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
  const current = tabs?.find(({ isCurrent }) => isCurrent)?.to
  // The tab of the page may lie beyond the edge of a phone.
  useEffect(() => {
    const tab = [...(row?.children ?? [])].find((link) => link.getAttribute('href') === current)
    if (row && tab) scrollToChild(row, tab)
  }, [row, current])
  return (
    <>
      {tabs && tabs.length > 0 ? (
        <nav className="k-page-tabs k-more" aria-label={tabsLabel}>
          <div ref={setRow} className="k-page-tabs-row k-fading">
            {tabs.map((tab) => (
              <Link
                key={tab.to}
                to={tab.to}
                className={tab.isCurrent ? 'active' : undefined}
                aria-current={tab.to === pathname ? 'page' : tab.isCurrent ? 'true' : undefined}
              >
                {tab.label}
              </Link>
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
