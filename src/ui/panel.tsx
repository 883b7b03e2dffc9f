import { type ReactNode, useId } from 'react'
import '@/ui/panel.css'

interface PanelProps {
  title: string
  intro?: ReactNode
  children: ReactNode
}

/** A titled part of a page. */
export function Panel({ title, intro, children }: PanelProps) {
  const id = useId()
  return (
    <section className="k-panel" aria-labelledby={id}>
      <div className="k-panel-head">
        <h2 id={id} className="k-panel-title">
          {title}
        </h2>
        {intro ? <p className="k-panel-intro">{intro}</p> : null}
      </div>
      <div className="k-panel-body">{children}</div>
    </section>
  )
}
