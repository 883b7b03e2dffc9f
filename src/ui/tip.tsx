import { Tooltip, type TooltipProps } from 'antd'
import { type ReactNode, useState } from 'react'
import { TIP_DELAY, tipDelay } from '@/ui/tip-delay'

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
