import type { ReactNode } from 'react'
import '@/ui/status-tag.css'

export type Tone = 'success' | 'warning' | 'error' | 'info' | 'neutral'

interface StatusTagProps {
  tone?: Tone
  /** A dot before the words: for live states such as online and offline. */
  dot?: boolean
  children: ReactNode
}

/** A state in words, with a color that repeats it and never carries it alone. */
export function StatusTag({ tone = 'neutral', dot = false, children }: StatusTagProps) {
  return (
    <span className="k-tag" data-tone={tone}>
      {dot ? <span className="k-tag-dot" aria-hidden="true" /> : null}
      <span className="k-tag-text">{children}</span>
    </span>
  )
}
