import type { ReactNode } from 'react'
import { Icon } from '@/ui/icons'
import '@/ui/notice.css'

interface NoticeProps {
  tone: 'info' | 'warning' | 'error'
  title: string
  text?: ReactNode
  /** `alert` interrupts a screen reader; a notice that is there from the start should not. */
  role?: 'alert' | 'status'
  action?: ReactNode
}

export function Notice({ tone, title, text, role, action }: NoticeProps) {
  return (
    <div className="k-notice" data-tone={tone} role={role}>
      <span className="k-notice-icon">
        <Icon name={tone} />
      </span>
      <div className="k-notice-words">
        <p className="k-notice-title">{title}</p>
        {text ? <p className="k-notice-text">{text}</p> : null}
      </div>
      {action ? <div className="k-notice-action">{action}</div> : null}
    </div>
  )
}
