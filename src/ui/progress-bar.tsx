import '@/ui/progress-bar.css'

interface ProgressBarProps {
  label: string
  done: number
  /** Null while it is not known. */
  total: number | null
}

/** The browser's own bar: antd's shimmers without end, and its frames stay in memory till the page is cleaned. */
export const ProgressBar = ({ label, done, total }: ProgressBarProps) => (
  <progress
    className="k-progress"
    aria-label={label}
    max={Math.max(1, done, total ?? 0)}
    value={total === null ? 0 : done}
  />
)
