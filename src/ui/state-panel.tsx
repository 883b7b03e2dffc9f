import type { ReactNode } from 'react'
import '@/ui/states.css'

interface StatePanelProps {
  icon: ReactNode
  title: string
  text?: ReactNode
  action?: ReactNode
  tone?: 'plain' | 'error'
  role?: 'status' | 'alert'
}

/** The frame that empty, error and denied states share, so that none of them is ever a blank. */
export function StatePanel({ icon, title, text, action, tone = 'plain', role }: StatePanelProps) {
  return (
    <div className="k-state" role={role}>
      <span className="k-state-icon" data-tone={tone} aria-hidden="true">
        {icon}
      </span>
      <p className="k-state-title">{title}</p>
      {text ? <p className="k-state-text">{text}</p> : null}
      {action ? <div className="k-state-action">{action}</div> : null}
    </div>
  )
}
