import { Tooltip, type TooltipProps } from 'antd'
import { type ReactNode, useState } from 'react'

/** Milliseconds the pointer rests before a tip opens, and within which a neighbor's tip opens at once. */
export const TIP_DELAY = 700
export const TIP_SKIP_DELAY = 300

/** `closedAt`: when any tip last closed; both in milliseconds since the epoch. */
export function tipDelay(now: number, closedAt: number): number {
  return now - closedAt < TIP_SKIP_DELAY ? 0 : TIP_DELAY
}

/** Shared by all tips of the page: moving along a row of icons waits once, not at each. */
let closedAt = Number.NEGATIVE_INFINITY

interface TipProps {
  title: ReactNode
  placement?: TooltipProps['placement']
  children: ReactNode
}

export function Tip({ title, placement, children }: TipProps) {
  const [delay, setDelay] = useState(TIP_DELAY)
  return (
    <Tooltip
      title={title}
      placement={placement}
      mouseEnterDelay={delay / 1000}
      mouseLeaveDelay={0}
      onOpenChange={(isOpen) => {
        if (!isOpen) closedAt = Date.now()
      }}
    >
      <span className="k-tip" onPointerEnter={() => setDelay(tipDelay(Date.now(), closedAt))}>
        {children}
      </span>
    </Tooltip>
  )
}
