import CloseCircleFilled from '@ant-design/icons/es/icons/CloseCircleFilled'
import ExclamationCircleFilled from '@ant-design/icons/es/icons/ExclamationCircleFilled'
import InfoCircleFilled from '@ant-design/icons/es/icons/InfoCircleFilled'
import type { ReactNode } from 'react'
import '@/ui/notice.css'

interface NoticeProps {
  tone: 'info' | 'warning' | 'error'
  title: string
  text?: ReactNode
  /** `alert` interrupts a screen reader; a notice that stands from the start should not. */
  role?: 'alert' | 'status'
}

const ICONS = {
  info: <InfoCircleFilled />,
  warning: <ExclamationCircleFilled />,
  error: <CloseCircleFilled />,
}

export function Notice({ tone, title, text, role }: NoticeProps) {
  return (
    <div className="k-notice" data-tone={tone} role={role}>
      <span className="k-notice-icon" aria-hidden="true">
        {ICONS[tone]}
      </span>
      <div className="k-notice-words">
        <p className="k-notice-title">{title}</p>
        {text ? <p className="k-notice-text">{text}</p> : null}
      </div>
    </div>
  )
}
